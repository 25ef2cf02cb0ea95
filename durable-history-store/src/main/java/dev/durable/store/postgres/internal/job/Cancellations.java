package dev.durable.store.postgres.internal.job;

import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.CancelledIdleJob;
import dev.durable.store.JobKey;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import dev.durable.store.postgres.internal.message.MessageSql;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Cancels activities: for transitions of their runs, and for background jobs with the message that requests it, so that
 * no worker begins one before its run has read the message. A running job is marked, and its worker learns of it; one
 * that no worker runs ends here, and its outcome goes into the inbox; one that has ended has its outcome there already.
 *
 * @param running jobs to be marked
 * @param idle jobs that end
 */
public record Cancellations(List<JobKey> running, List<LockedJob> idle) {

    /** The cancellations that the transitions ask for. The jobs were found under lock, before new ones are added. */
    public static Cancellations of(List<Transition> transitions, Map<JobKey, LockedJob> found) {
        Cancellations all = new Cancellations(new ArrayList<>(), new ArrayList<>());
        for (Transition t : transitions) {
            if (t.close() == null) {
                t.jobs().cancelled().forEach(seq -> all.add(t, new JobKey(t.run(), seq), found));
            }
        }
        return all;
    }

    /** The cancellations of the jobs of those of these runs that are background jobs. */
    public static Cancellations asked(Tx tx, Collection<RunKey> asked) throws SQLException {
        Map<UUID, RunKey> runs = new HashMap<>();
        asked.forEach(run -> runs.put(run.runId(), run));
        List<RunKey> inOrder = runs.values().stream()
                .sorted(Comparator.comparing(RunKey::runId, RunIds.ORDER))
                .toList();
        Cancellations all = new Cancellations(new ArrayList<>(), new ArrayList<>());
        tx.run(new SqlScript()
                .read(
                        MessageSql.LOCK_ASKED,
                        row -> all.add(LockedJob.read(row, runs)),
                        uuids(inOrder, RunKey::runId),
                        shorts(inOrder, RunKey::shard)));
        return all;
    }

    private void add(Transition t, JobKey key, Map<JobKey, LockedJob> found) {
        LockedJob job = found.get(key);
        if (job == null) {
            t.jobs().scheduled().stream()
                    .filter(born -> born.seq() == key.seq())
                    .map(born -> LockedJob.born(key, born))
                    .forEach(this::add);
        } else if (t.jobs().settled().stream().noneMatch(s -> s.seq() == key.seq())) {
            add(job);
        }
    }

    private void add(LockedJob job) {
        if (job.isLeased()) {
            running.add(job.key());
        } else {
            idle.add(job);
        }
    }

    /** Returns the runs whose inboxes got a message. */
    public Set<UUID> write(Tx tx, SqlScript script, PendingNudges hints) throws SQLException {
        if (!running.isEmpty()) {
            script.then(JobSql.MARK_CANCELLED, HeartbeatRows.keys(running));
        }
        end(idle, tx, script, hints);
        return idle.stream().map(job -> job.key().run().runId()).collect(Collectors.toSet());
    }

    /** Ends jobs that no worker runs and that are to be cancelled. */
    public static void end(List<LockedJob> jobs, Tx tx, SqlScript script, PendingNudges hints) throws SQLException {
        new IdleJobs(jobs)
                .end(
                        (job, details) ->
                                CancelledIdleJob.outcome(job.key(), job.attempt() - 1, details, job.allNotes()),
                        tx,
                        script,
                        hints);
    }
}
