package dev.durable.store.postgres;

import dev.durable.store.CancelledIdleJob;
import dev.durable.store.JobKey;
import dev.durable.store.Transition;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Activities that transitions cancel. A running job is marked, and its worker learns; one that nobody runs ends here,
 * and its outcome goes into the inbox; one that has gone has its outcome there already.
 *
 * @param running jobs to be marked
 * @param idle jobs that end
 */
record Cancellations(List<JobKey> running, List<LockedJob> idle) {

    /** The jobs are as found under lock, before the transitions add their own. */
    static Cancellations of(List<Transition> transitions, Map<JobKey, LockedJob> found) {
        Cancellations all = new Cancellations(new ArrayList<>(), new ArrayList<>());
        for (Transition t : transitions) {
            if (t.close() == null) {
                t.cancelled().forEach(seq -> all.add(t, new JobKey(t.run(), seq), found));
            }
        }
        return all;
    }

    private void add(Transition t, JobKey key, Map<JobKey, LockedJob> found) {
        LockedJob job = found.get(key);
        if (job == null) {
            t.jobs().stream()
                    .filter(born -> born.seq() == key.seq())
                    .map(born -> LockedJob.born(key, born))
                    .forEach(this::add);
        } else if (t.settled().stream().noneMatch(s -> s.seq() == key.seq())) {
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

    /** Gives the runs that have a message now. */
    Set<UUID> write(Tx tx, Script script, Hints hints) throws SQLException {
        if (!running.isEmpty()) {
            script.then(JobSql.MARK_CANCELLED, Heartbeats.keys(running));
        }
        end(idle, tx, script, hints);
        return idle.stream().map(job -> job.key().run().runId()).collect(Collectors.toSet());
    }

    /** Jobs that nobody runs and that are to be cancelled. */
    static void end(List<LockedJob> jobs, Tx tx, Script script, Hints hints) throws SQLException {
        new IdleJobs(jobs)
                .end(
                        (job, details) ->
                                CancelledIdleJob.outcome(job.key(), job.attempt() - 1, details, job.allNotes()),
                        tx,
                        script,
                        hints);
    }
}
