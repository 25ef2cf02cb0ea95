package dev.durable.store.postgres.internal.job;

import dev.durable.history.InboxMessage;
import dev.durable.store.JobKey;
import dev.durable.store.TimedOutIdleJob;
import dev.durable.store.TimedOutIdleJob.Timeout;
import dev.durable.store.postgres.internal.message.MessageRows;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Ends jobs that no worker runs: deletes their rows and puts their outcomes into inboxes. */
public record IdleJobs(List<LockedJob> jobs) {

    /** Builds the outcome of a job from its last accepted heartbeat details. */
    @FunctionalInterface
    public interface Outcome {
        InboxMessage of(LockedJob job, @Nullable String heartbeatDetails);
    }

    /** Ends jobs by the timeout that has passed for each. */
    public static void timeOut(Map<LockedJob, Timeout> overdue, Tx tx, SqlScript script, PendingNudges hints)
            throws SQLException {
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

    public void end(Outcome outcome, Tx tx, SqlScript script, PendingNudges hints) throws SQLException {
        if (jobs.isEmpty()) {
            return;
        }
        List<JobKey> keys =
                jobs.stream().map(LockedJob::key).sorted(JobKey.LOCK_ORDER).toList();
        script.then(JobSql.DROP, HeartbeatRows.keys(keys));
        script.then(HeartbeatRows.DROP, HeartbeatRows.keys(keys));
        Map<JobKey, String> stored = HeartbeatRows.read(tx, keys);
        MessageRows messages = new MessageRows();
        for (LockedJob job : jobs) {
            String details = job.details() == null ? stored.get(job.key()) : job.details();
            messages.add(job.key().run(), outcome.of(job, details));
        }
        messages.insert(script, hints);
    }
}
