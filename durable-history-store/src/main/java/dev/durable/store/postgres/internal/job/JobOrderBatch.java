package dev.durable.store.postgres.internal.job;

import static dev.durable.store.postgres.internal.sql.Param.bools;
import static dev.durable.store.postgres.internal.sql.Param.instants;
import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.history.JobNotes;
import dev.durable.store.JobDeadlines;
import dev.durable.store.JobKey;
import dev.durable.store.JobOrder;
import dev.durable.store.JobOrder.Audit;
import dev.durable.store.JobOrder.Outcome;
import dev.durable.store.JobUpdate;
import dev.durable.store.OrderRules;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.internal.message.MessageRows;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SafeText;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes a batch of orders on jobs in one transaction: locks all jobs, checks each order against its job, writes each
 * kind with one statement, and the operators' actions into the audit.
 */
final class JobOrderBatch {
    private final Tx tx;
    private final List<JobOrders.Item> items;
    private final PendingNudges hints;
    private final Map<Integer, Outcome> outcomes = new HashMap<>();
    private final List<JobOrder> applied = new ArrayList<>();
    private final List<JobOrder.RetryNow> due = new ArrayList<>();
    private final List<JobOrder.Reschedule> moved = new ArrayList<>();
    private final List<JobOrder> pauses = new ArrayList<>();
    private final List<JobOrder.UpdateTimeout> deadlines = new ArrayList<>();
    private final List<JobOrder.UpdateOptions> options = new ArrayList<>();
    private final List<JobOrder.Beat> beats = new ArrayList<>();
    private final List<JobOrder.Revive> revived = new ArrayList<>();
    private final List<FailedJobRows> buried = new ArrayList<>();
    private final List<ReturnedJob> putBack = new ArrayList<>();
    private final List<LockedJob> cancelled = new ArrayList<>();
    private final List<JobKey> gone = new ArrayList<>();
    /** The running jobs that are taken from their workers. */
    private final List<JobKey> taken = new ArrayList<>();

    private final MessageRows messages = new MessageRows();

    /** A job that an order refers to, as the transaction found it under lock. */
    private record OrderedJob(LockedJob job, OrderRules.Found found) {
        static OrderedJob read(ResultSet row, RunKey run) throws SQLException {
            LockedJob job = LockedJob.read(row, run);
            return new OrderedJob(
                    job,
                    new OrderRules.Found(
                            new JobOrder.Seen(job.lease(), job.attempt(), row.getInt("revision")),
                            job.isLeased(),
                            job.state().isBuried(),
                            row.getBoolean("paused"),
                            row.getObject("visible_at") != null,
                            job.cancelRequested()));
        }
    }

    JobOrderBatch(Tx tx, List<JobOrders.Item> items, PendingNudges hints) {
        this.tx = tx;
        this.hints = hints;
        this.items = items.stream()
                .sorted(Comparator.comparing(item -> item.order().key(), JobKey.LOCK_ORDER))
                .toList();
    }

    /** Writes the orders. Returns the outcomes of those whose job exists, and of those that were carried out before. */
    Map<Integer, Outcome> write() throws SQLException {
        Map<Integer, OrderedJob> jobs = lock();
        for (JobOrders.Item item : items) {
            OrderedJob job = jobs.get(item.index());
            if (job != null && !outcomes.containsKey(item.index())) {
                Outcome outcome = OrderRules.judge(item.order(), job.found());
                outcomes.put(item.index(), outcome);
                if (outcome == Outcome.APPLIED) {
                    applied.add(item.order());
                    take(item.order(), job.job());
                    if (OrderRules.endsAttempt(item.order()) && job.job().state() == JobState.RUNNING) {
                        taken.add(job.job().key());
                    }
                }
            }
        }
        SqlScript script = new SqlScript();
        if (!taken.isEmpty()) {
            script.then(LimitPlaceSql.KEEP, HeartbeatRows.keys(taken));
        }
        change(script);
        end(script);
        audit(script);
        tx.last(script);
        return outcomes;
    }

    private Map<Integer, OrderedJob> lock() throws SQLException {
        Map<Integer, OrderedJob> found = new HashMap<>();
        Map<Integer, JobOrders.Item> byIndex = new HashMap<>();
        items.forEach(item -> byIndex.put(item.index(), item));
        Map<UUID, Integer> audited = new HashMap<>();
        items.stream()
                .filter(item -> item.order().trace().audit() != null)
                .forEach(item -> audited.put(audit(item.order()).id(), item.index()));
        SqlScript script = new SqlScript()
                .read(
                        OrderSql.LOCK,
                        row -> {
                            JobOrders.Item item = Objects.requireNonNull(byIndex.get(row.getInt("item")));
                            found.put(
                                    item.index(),
                                    OrderedJob.read(row, item.order().key().run()));
                        },
                        ints(items, JobOrders.Item::index),
                        uuids(items, item -> item.order().key().run().runId()),
                        shorts(items, item -> item.order().key().run().shard()),
                        ints(items, item -> item.order().key().seq()));
        if (!audited.isEmpty()) {
            script.read(
                    OrderSql.CARRIED_OUT,
                    row -> outcomes.put(
                            Objects.requireNonNull(audited.get(row.getObject("id", UUID.class))), Outcome.DUPLICATE),
                    uuids(List.copyOf(audited.keySet()), id -> id));
        }
        tx.run(script);
        return found;
    }

    // ── what follows from each ───────────────────────────────────────────────────────────────────────────────────────

    private void take(JobOrder order, LockedJob job) {
        switch (order) {
            case JobOrder.RetryNow now -> {
                due.add(now);
                hints.jobs(job.taskQueue());
            }
            case JobOrder.Reschedule to -> {
                moved.add(to);
                hints.jobs(job.taskQueue());
            }
            case JobOrder.Pause pause -> pauses.add(pause);
            case JobOrder.Resume resume -> {
                pauses.add(resume);
                hints.jobs(job.taskQueue());
            }
            // The lock on the job's row keeps its run open, except against an end from outside, which drops waiting
            // messages.
            case JobOrder.Cancel cancel -> messages.add(cancel.key().run(), cancel.request());
            case JobOrder.UpdateTimeout update -> deadlines.add(update);
            case JobOrder.UpdateOptions update -> options.add(update);
            case JobOrder.Revive revive -> {
                revived.add(revive);
                hints.jobs(job.taskQueue());
            }
            case JobOrder.Bury bury -> bury(bury, job);
            case JobOrder.End end -> {
                gone.add(end.key());
                messages.add(end.key().run(), OrderRules.outcome(end, job.allNotes()));
            }
            case JobOrder.GiveBack back -> giveBack(back, job);
            case JobOrder.Beat beat -> beats.add(beat);
        }
    }

    private void bury(JobOrder.Bury order, LockedJob job) {
        JobUpdate.Bury bury = new JobUpdate.Bury(
                order.key(),
                Objects.requireNonNull(job.lease()),
                order.incident(),
                order.seen().attempt() + 1,
                order.fingerprint(),
                OrderRules.noted(order, job.notes()),
                order.lastFailure(),
                null,
                null);
        if (job.cancelRequested()) {
            cancelled.add(job.after(bury));
        } else {
            buried.add(FailedJobRows.of(bury));
            hints.buried();
        }
    }

    private void giveBack(JobOrder.GiveBack order, LockedJob job) {
        JobOrder.Next next = order.next();
        JobUpdate.Retry retry = new JobUpdate.Retry(
                order.key(),
                Objects.requireNonNull(job.lease()),
                next.delay(),
                next.attempt(),
                OrderRules.noted(order, job.notes()),
                order.lastFailure(),
                null,
                next.options());
        if (job.cancelRequested()) {
            cancelled.add(job.after(retry));
        } else {
            putBack.add(new ReturnedJob(order.key(), next.delay().toMillis(), retry, true));
            if (next.delay().isZero()) {
                hints.jobs(job.taskQueue());
            }
        }
    }

    // ── statements ───────────────────────────────────────────────────────────────────────────────────────────────────

    private void change(SqlScript script) {
        if (!due.isEmpty()) {
            script.then(OrderSql.RETRY_NOW, keys(due, texts(due, JobOrderBatch::note)));
        }
        if (!moved.isEmpty()) {
            script.then(
                    OrderSql.RESCHEDULE,
                    keys(
                            moved,
                            instants(moved, JobOrder.Reschedule::at),
                            instants(moved, to -> promised(to, JobDeadlines::scheduledAt)),
                            instants(moved, to -> promised(to, JobDeadlines::toStart)),
                            instants(moved, to -> promised(to, JobDeadlines::toClose)),
                            texts(moved, JobOrderBatch::note)));
        }
        if (!pauses.isEmpty()) {
            script.then(
                    OrderSql.PAUSE,
                    keys(
                            pauses,
                            bools(pauses, order -> order instanceof JobOrder.Pause),
                            texts(pauses, JobOrderBatch::note)));
        }
        if (!deadlines.isEmpty()) {
            script.then(
                    OrderSql.DEADLINE,
                    keys(
                            deadlines,
                            instants(deadlines, JobOrder.UpdateTimeout::deadline),
                            texts(deadlines, JobOrderBatch::note)));
        }
        if (!options.isEmpty()) {
            script.then(
                    OrderSql.OPTIONS,
                    keys(
                            options,
                            texts(options, JobOrder.UpdateOptions::options),
                            instants(options, JobOrder.UpdateOptions::scheduleToStart),
                            instants(options, JobOrder.UpdateOptions::scheduleToClose),
                            ints(options, JobOrder.UpdateOptions::moreWorkerCrashes),
                            texts(options, JobOrderBatch::note)));
        }
        if (!revived.isEmpty()) {
            script.then(
                    OrderSql.REVIVE,
                    keys(
                            revived,
                            texts(revived, JobOrder.Revive::input),
                            texts(revived, JobOrder.Revive::options),
                            instants(revived, JobOrder.Revive::scheduleToClose),
                            ints(revived, JobOrder.Revive::maxWorkerCrashes),
                            texts(revived, JobOrderBatch::note)));
        }
        FailedJobRows.write(buried, script);
        beat(script);
        if (!putBack.isEmpty()) {
            ReturnedJob.write(putBack, script);
        }
    }

    private static @Nullable Instant promised(
            JobOrder.Reschedule order, Function<JobDeadlines, @Nullable Instant> what) {
        JobDeadlines to = order.moved();
        return to == null ? null : what.apply(to);
    }

    private void beat(SqlScript script) {
        if (beats.isEmpty()) {
            return;
        }
        script.then(OrderSql.BEAT, keys(beats, instants(beats, JobOrder.Beat::silentUntil)));
        List<JobOrder.Beat> told =
                beats.stream().filter(beat -> beat.details() != null).toList();
        if (!told.isEmpty()) {
            script.then(JobSql.HEARTBEAT, keys(told, texts(told, JobOrder.Beat::details)));
        }
    }

    private void end(SqlScript script) throws SQLException {
        if (!gone.isEmpty()) {
            script.then(JobSql.DROP, HeartbeatRows.keys(gone));
            script.then(HeartbeatRows.DROP, HeartbeatRows.keys(gone));
        }
        messages.insert(script, hints);
        Cancellations.end(cancelled, tx, script, hints);
    }

    private void audit(SqlScript script) {
        Set<JobOrder> audited = new HashSet<>(applied);
        audited.removeIf(order -> order.trace().audit() == null);
        List<JobOrder> rows = List.copyOf(audited);
        if (!rows.isEmpty()) {
            script.then(
                    OrderSql.AUDIT,
                    uuids(rows, order -> audit(order).id()),
                    texts(rows, order -> SafeText.storable(audit(order).actor())),
                    texts(rows, order -> audit(order).action()),
                    texts(rows, JobOrder::target),
                    texts(rows, order -> audit(order).details()));
        }
    }

    private static Audit audit(JobOrder order) {
        return Objects.requireNonNull(order.trace().audit());
    }

    /** The note of an order as an array of one element, which is appended to another array. */
    private static @Nullable String note(JobOrder order) {
        return JobNotes.with(null, order.trace().note());
    }

    private static Param[] keys(List<? extends JobOrder> orders, Param... more) {
        List<JobOrder> rows = List.copyOf(orders);
        Param[] all = new Param[3 + more.length];
        all[0] = uuids(rows, r -> r.key().run().runId());
        all[1] = shorts(rows, r -> r.key().run().shard());
        all[2] = ints(rows, r -> r.key().seq());
        System.arraycopy(more, 0, all, 3, more.length);
        return all;
    }
}
