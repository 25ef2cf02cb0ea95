package dev.durable.store.postgres.internal.job;

import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.longs;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.JobKey;
import dev.durable.store.JobUpdate;
import dev.durable.store.JobUpdate.Outcome;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.internal.message.MessageRows;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.nudge.SharedNudges;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.Tx;
import dev.durable.store.postgres.internal.stream.JobAppends;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Writes a batch of job updates in one transaction: locks the jobs whose lease is held, sorts the updates by kind, and
 * writes each kind with one statement.
 */
public final class JobUpdateBatch {
    private final Tx tx;
    private final List<JobUpdates.Item> items;
    private final PendingNudges hints;
    private final Map<Integer, Outcome> outcomes = new HashMap<>();
    private final Map<JobKey, String> details = new LinkedHashMap<>();
    private final Map<JobKey, String> notes = new LinkedHashMap<>();
    private final Map<JobKey, JobUpdate.NewOptions> options = new LinkedHashMap<>();
    private final List<ReturnedJob> putBack = new ArrayList<>();
    private final List<FailedJobRows> buried = new ArrayList<>();
    private final List<JobUpdate.Detach> detached = new ArrayList<>();
    private final List<LockedJob> ended = new ArrayList<>();
    private final List<JobKey> places = new ArrayList<>();
    private final JobAppends appends = new JobAppends();
    private final List<JobUpdate.Settle> settled = new ArrayList<>();
    /** Jobs that an update of this batch has released: later updates of the batch for them are stale. */
    private final Set<JobKey> gone = new HashSet<>();

    public JobUpdateBatch(Tx tx, List<JobUpdates.Item> items, PendingNudges hints) {
        this.tx = tx;
        this.items = items;
        this.hints = hints;
    }

    /** Writes the updates, and commits. Returns the outcomes of those whose lease is held, by their index. */
    public Map<Integer, Outcome> write() throws SQLException {
        tx.last(lockAndJudge());
        return outcomes;
    }

    /** As {@link #write}, and sends the nudges that are known before the commit in one round trip with it. */
    Map<Integer, Outcome> write(SharedNudges nudges) throws SQLException {
        SqlScript script = lockAndJudge();
        tx.last(script, hints.carriedBy(nudges));
        return outcomes;
    }

    /** Locks the jobs. Returns the statements that write the updates whose lease is held. */
    private SqlScript lockAndJudge() throws SQLException {
        Map<Integer, LockedJob> held = lock();
        for (JobUpdates.Item item : items) {
            if (item.update() instanceof JobUpdate.FreePlace) {
                outcomes.put(item.index(), Outcome.ACCEPTED);
                continue;
            }
            LockedJob job = held.get(item.index());
            if (job != null && !gone.contains(job.key())) {
                outcomes.put(item.index(), take(item.update(), job));
            }
        }
        SqlScript script = new SqlScript();
        write(script);
        return script;
    }

    private Map<Integer, LockedJob> lock() throws SQLException {
        List<JobUpdates.Item> sorted = items.stream()
                .sorted(Comparator.comparing(item -> item.update().key(), JobKey.LOCK_ORDER))
                .toList();
        Map<UUID, RunKey> runs = new HashMap<>();
        items.forEach(item ->
                runs.put(item.update().key().run().runId(), item.update().key().run()));
        Map<Integer, LockedJob> held = new HashMap<>();
        SqlScript script = new SqlScript()
                .read(
                        JobSql.LOCK_HELD,
                        row -> held.put(row.getInt("item"), LockedJob.read(row, runs)),
                        ints(sorted, JobUpdates.Item::index),
                        uuids(sorted, item -> item.update().key().run().runId()),
                        shorts(sorted, item -> item.update().key().run().shard()),
                        ints(sorted, item -> item.update().key().seq()),
                        uuids(sorted, item -> item.update().lease()));
        appends.read(items.stream().map(JobUpdates.Item::update).toList(), script);
        tx.run(script);
        return held;
    }

    private Outcome take(JobUpdate update, LockedJob job) {
        switch (update) {
            case JobUpdate.Settle settle -> {
                gone.add(job.key());
                settled.add(settle);
                return Outcome.ACCEPTED;
            }
            case JobUpdate.Retry retry -> letGo(job.after(retry), retry.delay(), ReturnedJob.of(retry));
            case JobUpdate.Release release -> letGo(job.after(release), release.delay(), ReturnedJob.of(release));
            case JobUpdate.Unread unread -> letGo(job.after(unread), unread.delay(), ReturnedJob.of(unread));
            case JobUpdate.Bury bury -> bury(bury, job);
            case JobUpdate.Append append -> {
                return appends.take(append, accepted(job), hints);
            }
            case JobUpdate.Heartbeat heartbeat -> details.put(job.key(), heartbeat.details());
            case JobUpdate.Annotate annotate -> annotate(annotate);
            case JobUpdate.Detach detach -> detach(detach, job);
            case JobUpdate.BodyGoesOn end -> {
                places.add(job.key());
                return take(end.said(), job);
            }
            case JobUpdate.FreePlace free -> throw new IllegalStateException(free + " is not about the job");
        }
        return accepted(job);
    }

    private static Outcome accepted(LockedJob job) {
        return job.cancelRequested() ? Outcome.CANCEL_REQUESTED : Outcome.ACCEPTED;
    }

    private void annotate(JobUpdate.Annotate annotate) {
        if (annotate.notes() != null) {
            notes.put(annotate.key(), annotate.notes());
        }
        if (annotate.options() != null) {
            options.put(annotate.key(), annotate.options());
        }
    }

    private void bury(JobUpdate.Bury bury, LockedJob job) {
        gone.add(job.key());
        if (job.cancelRequested()) {
            ended.add(job.after(bury));
            return;
        }
        buried.add(FailedJobRows.of(bury));
        hints.buried();
        if (bury.details() != null) {
            details.put(job.key(), bury.details());
        }
    }

    private void detach(JobUpdate.Detach detach, LockedJob job) {
        notes.remove(job.key());
        detached.add(detach);
        if (detach.details() != null) {
            details.put(job.key(), detach.details());
        }
    }

    private void letGo(LockedJob job, Duration delay, ReturnedJob back) {
        gone.add(job.key());
        if (job.cancelRequested()) {
            ended.add(job);
            return;
        }
        putBack.add(back);
        if (job.details() != null) {
            details.put(job.key(), job.details());
        }
        if (delay.isZero()) {
            hints.jobs(job.taskQueue());
        }
    }

    private void write(SqlScript script) throws SQLException {
        if (!places.isEmpty()) {
            script.then(
                    LimitPlaceSql.KEEP,
                    HeartbeatRows.keys(places.stream().sorted(JobKey.LOCK_ORDER).toList()));
        }
        if (!details.isEmpty()) {
            List<Map.Entry<JobKey, String>> rows = sorted(details);
            script.then(JobSql.HEARTBEAT, with(keys(rows), texts(rows, Map.Entry::getValue)));
        }
        if (!notes.isEmpty()) {
            List<Map.Entry<JobKey, String>> rows = sorted(notes);
            script.then(JobSql.ANNOTATE, with(keys(rows), texts(rows, Map.Entry::getValue)));
        }
        if (!options.isEmpty()) {
            List<Map.Entry<JobKey, JobUpdate.NewOptions>> rows = sorted(options);
            script.then(
                    JobSql.SETTLE_OPTIONS,
                    with(
                            keys(rows),
                            texts(rows, r -> r.getValue().json()),
                            texts(rows, r -> r.getValue().insteadOf())));
        }
        if (!putBack.isEmpty()) {
            ReturnedJob.write(putBack, script);
        }
        FailedJobRows.write(buried, script);
        detach(script);
        Cancellations.end(ended, tx, script, hints);
        settle(script);
        freePlaces(script);
        appends.write(script);
    }

    /** Those that are left to the holders of their tokens ({@code completeLater}). */
    private void detach(SqlScript script) {
        if (!detached.isEmpty()) {
            script.then(
                    JobSql.DETACH,
                    with(
                            keysOf(detached),
                            texts(detached, JobUpdate.Detach::notes),
                            longs(detached, r -> r.left().toMillis()),
                            longs(
                                    detached,
                                    r -> r.silence() == null
                                            ? null
                                            : r.silence().toMillis()),
                            ints(detached, JobUpdate.Detach::revision),
                            texts(
                                    detached,
                                    r -> r.options() == null
                                            ? null
                                            : r.options().json()),
                            texts(
                                    detached,
                                    r -> r.options() == null
                                            ? null
                                            : r.options().insteadOf())));
        }
    }

    private void freePlaces(SqlScript script) {
        List<UUID> free = items.stream()
                .map(JobUpdates.Item::update)
                .filter(JobUpdate.FreePlace.class::isInstance)
                .map(JobUpdate::lease)
                .sorted()
                .toList();
        if (!free.isEmpty()) {
            script.then(LimitPlaceSql.FREE, uuids(free, lease -> lease));
        }
    }

    private void settle(SqlScript script) {
        if (settled.isEmpty()) {
            return;
        }
        settled.sort(Comparator.comparing(JobUpdate.Settle::key, JobKey.LOCK_ORDER));
        Param[] keys = keysOf(settled);
        script.then(JobSql.DROP, keys);
        script.then(HeartbeatRows.DROP, keys);
        MessageRows messages = new MessageRows();
        settled.forEach(s -> messages.add(s.key().run(), s.outcome()));
        messages.insert(script, hints);
    }

    private static <V> List<Map.Entry<JobKey, V>> sorted(Map<JobKey, V> byKey) {
        return byKey.entrySet().stream()
                .sorted(Map.Entry.comparingByKey(JobKey.LOCK_ORDER))
                .toList();
    }

    private static Param[] keysOf(List<? extends JobUpdate> updates) {
        return HeartbeatRows.keys(updates.stream().map(JobUpdate::key).toList());
    }

    private static <V> Param[] keys(List<Map.Entry<JobKey, V>> rows) {
        return HeartbeatRows.keys(rows.stream().map(Map.Entry::getKey).toList());
    }

    private static Param[] with(Param[] keys, Param... more) {
        return Stream.concat(Stream.of(keys), Stream.of(more)).toArray(Param[]::new);
    }
}
