package dev.durable.store.postgres;

import dev.durable.store.InboxMessage;
import dev.durable.store.JobKey;
import dev.durable.store.TimedOutIdleJob;
import dev.durable.store.TimedOutIdleJob.Timeout;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Ends jobs that nobody runs: deletes their rows and puts their outcomes into inboxes. */
record IdleJobs(List<LockedJob> jobs) {

    /** Of a job with the last accepted heartbeat details. */
    @FunctionalInterface
    interface Outcome {
        InboxMessage of(LockedJob job, @Nullable String heartbeatDetails);
    }

    /** Jobs that time out, and which time it was that is over. */
    static void timeOut(Map<LockedJob, Timeout> overdue, Tx tx, Script script, Hints hints) throws SQLException {
        new IdleJobs(List.copyOf(overdue.keySet()))
                .end(
                        (job, details) -> TimedOutIdleJob.outcome(
                                job.key(),
                                Objects.requireNonNull(overdue.get(job)),
                                job.attempt() - 1,
                                details,
                                job.allNotes()),
                        tx,
                        script,
                        hints);
    }

    void end(Outcome outcome, Tx tx, Script script, Hints hints) throws SQLException {
        if (jobs.isEmpty()) {
            return;
        }
        List<JobKey> keys =
                jobs.stream().map(LockedJob::key).sorted(JobKey.LOCK_ORDER).toList();
        script.then(JobSql.DROP, Heartbeats.keys(keys));
        script.then(Heartbeats.DROP, Heartbeats.keys(keys));
        Map<JobKey, String> stored = Heartbeats.read(tx, keys);
        MessageRows messages = new MessageRows();
        for (LockedJob job : jobs) {
            String details = job.details() == null ? stored.get(job.key()) : job.details();
            messages.add(job.key().run(), outcome.of(job, details));
        }
        messages.insert(script, hints);
    }
}
