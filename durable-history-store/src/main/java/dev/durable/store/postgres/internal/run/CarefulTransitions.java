package dev.durable.store.postgres.internal.run;

import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.history.InboxMessage;
import dev.durable.store.JobKey;
import dev.durable.store.LeftJob;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import dev.durable.store.Transition.Outcome;
import dev.durable.store.postgres.internal.job.Cancellations;
import dev.durable.store.postgres.internal.job.HeartbeatRows;
import dev.durable.store.postgres.internal.job.LockedJob;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The slow path for a batch of transitions in which one is stale: locks all rows in order, finds the stale transitions,
 * and writes the others in the same transaction. Each lock is a statement of its own, so that the next statement sees
 * the commits of the transactions that it waited for.
 */
final class CarefulTransitions {
    private final Tx tx;
    private final PendingNudges hints;
    private final Map<RunKey, Outcome> outcomes = new HashMap<>();
    private TransitionBatch good;

    CarefulTransitions(Tx tx, List<Transition> transitions, PendingNudges hints) {
        this.tx = tx;
        this.hints = hints;
        this.good = new TransitionBatch(transitions);
    }

    Map<RunKey, Outcome> writeTheGood() throws SQLException {
        Set<UUID> locked = lockRuns();
        keep(Outcome.FENCE_LOST, t -> locked.contains(t.run().runId()));
        Map<JobKey, LockedJob> jobs = lockJobs();
        keep(Outcome.STALE, t -> holdsAll(t, jobs));
        Set<UUID> waiting = closersWithMessages();
        markClosing(waiting);
        keep(Outcome.CLOSE_REFUSED, t -> !waiting.contains(t.run().runId()));
        tell(jobs);
        write(jobs);
        return outcomes;
    }

    private void keep(Outcome otherwise, Predicate<Transition> isGood) {
        good.all().stream().filter(isGood.negate()).forEach(t -> outcomes.put(t.run(), otherwise));
        good = new TransitionBatch(good.all().stream().filter(isGood).toList());
    }

    private Set<UUID> lockRuns() throws SQLException {
        Set<UUID> locked = new HashSet<>();
        tx.run(new SqlScript()
                .read(
                        TransitionSql.LOCK_RUNS,
                        row -> locked.add(row.getObject("run_id", UUID.class)),
                        TransitionBatch.fences(good.all())));
        return locked;
    }

    private Map<JobKey, LockedJob> lockJobs() throws SQLException {
        Map<UUID, RunKey> runs = new HashMap<>();
        good.all().forEach(t -> runs.put(t.run().runId(), t.run()));
        Map<JobKey, LockedJob> jobs = new HashMap<>();
        SqlScript script = new SqlScript();
        good.lockClosers(script);
        JobRanges.ending(good.all()).lock(script, row -> {
            LockedJob job = LockedJob.read(row, runs);
            jobs.put(job.key(), job);
        });
        tx.run(script);
        return jobs;
    }

    private static boolean holdsAll(Transition t, Map<JobKey, LockedJob> jobs) {
        return t.jobs().settled().stream().allMatch(s -> {
            LockedJob job = jobs.get(new JobKey(t.run(), s.seq()));
            return job != null && s.lease().equals(job.lease());
        });
    }

    /** With the closing runs and all their jobs locked, no other transaction can add a message any more. */
    private Set<UUID> closersWithMessages() throws SQLException {
        Set<UUID> waiting = new HashSet<>();
        List<Transition> closing = good.ending();
        if (!closing.isEmpty()) {
            List<UUID> consumed =
                    closing.stream().flatMap(t -> t.consumed().stream()).toList();
            tx.run(new SqlScript()
                    .read(
                            TransitionSql.WITH_MESSAGES,
                            row -> waiting.add(row.getObject("run_id", UUID.class)),
                            TransitionBatch.runs(closing),
                            TransitionBatch.shards(closing),
                            uuids(consumed, id -> id)));
        }
        List<Transition> replaced =
                good.closing().stream().filter(Transition::isByStart).toList();
        if (!replaced.isEmpty()) {
            tx.run(new SqlScript()
                    .read(
                            TransitionSql.ASKED_TO_CANCEL,
                            row -> waiting.add(row.getObject("run_id", UUID.class)),
                            TransitionBatch.runs(replaced),
                            TransitionBatch.shards(replaced)));
        }
        return waiting;
    }

    private void markClosing(Set<UUID> refused) throws SQLException {
        List<Transition> forced = good.closing().stream()
                .filter(t -> Objects.requireNonNull(t.close()).force()
                        && refused.contains(t.run().runId()))
                .toList();
        if (!forced.isEmpty()) {
            tx.run(new SqlScript()
                    .then(TransitionSql.MARK_CLOSING, TransitionBatch.runs(forced), TransitionBatch.shards(forced)));
        }
    }

    /**
     * Adds the notes and details of the jobs that closing runs leave, and outcomes that wait for runs which others
     * continue, to the histories of these runs.
     */
    private void tell(Map<JobKey, LockedJob> jobs) throws SQLException {
        Set<JobKey> settled = new HashSet<>();
        Set<RunKey> closing = new HashSet<>();
        for (Transition t : good.closing()) {
            closing.add(t.run());
            t.jobs().settled().forEach(s -> settled.add(new JobKey(t.run(), s.seq())));
        }
        List<JobKey> left = jobs.keySet().stream()
                .filter(key -> closing.contains(key.run()) && !settled.contains(key))
                .sorted(JobKey.LOCK_ORDER)
                .toList();
        Map<JobKey, String> details = left.isEmpty() ? Map.of() : HeartbeatRows.read(tx, left);
        Map<RunKey, ArrayList<LeftJob>> told = left.stream()
                .collect(Collectors.groupingBy(
                        JobKey::run,
                        Collectors.mapping(
                                key -> Objects.requireNonNull(jobs.get(key)).left(details.get(key)),
                                Collectors.toCollection(ArrayList::new))));
        outcomes()
                .forEach((run, waiting) ->
                        told.computeIfAbsent(run, key -> new ArrayList<>()).addAll(waiting));
        good = TransitionBatch.told(good.all().stream()
                .map(t -> closing.contains(t.run()) ? closingWith(t, told.getOrDefault(t.run(), new ArrayList<>())) : t)
                .toList());
    }

    /** Reads the outcomes that wait for runs which others continue, and that their steps have not consumed. */
    private Map<RunKey, List<LeftJob>> outcomes() throws SQLException {
        Map<UUID, Transition> continued = new HashMap<>();
        good.continued().forEach(t -> continued.put(t.run().runId(), t));
        Map<RunKey, List<LeftJob>> outcomes = new HashMap<>();
        if (!continued.isEmpty()) {
            tx.run(new SqlScript()
                    .read(
                            TransitionSql.OUTCOMES,
                            row -> {
                                Transition t =
                                        Objects.requireNonNull(continued.get(row.getObject("run_id", UUID.class)));
                                InboxMessage outcome = Seizures.outcome(row);
                                if (!t.consumed().contains(row.getObject("message_id", UUID.class))) {
                                    outcomes.computeIfAbsent(t.run(), run -> new ArrayList<>())
                                            .add(LeftJob.of(outcome));
                                }
                            },
                            TransitionBatch.runs(good.continued()),
                            TransitionBatch.shards(good.continued())));
        }
        return outcomes;
    }

    private static Transition closingWith(Transition t, List<LeftJob> left) {
        return t.closingWith(LeftJob.events(left, t.events().getLast().at()));
    }

    private void write(Map<JobKey, LockedJob> jobs) throws SQLException {
        SqlScript script = new SqlScript();
        Set<UUID> waiting = new HashSet<>();
        if (!good.all().isEmpty()) {
            good.write(script, waiting);
            waiting.addAll(Cancellations.of(good.all(), jobs).write(tx, script, hints));
            good.append(script);
        }
        tx.last(script);
        outcomes.putAll(Transitions.applied(good.all(), waiting));
    }
}
