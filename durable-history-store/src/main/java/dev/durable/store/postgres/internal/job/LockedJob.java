package dev.durable.store.postgres.internal.job;

import dev.durable.history.JobNotes;
import dev.durable.store.JobKey;
import dev.durable.store.JobUpdate;
import dev.durable.store.LeftJob;
import dev.durable.store.NewJob;
import dev.durable.store.RunKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code activity_job} that this transaction has locked.
 *
 * @param details heartbeat details that came with an update; null keeps what is stored
 */
public record LockedJob(
        JobKey key,
        String taskQueue,
        @Nullable UUID lease,
        JobState state,
        int attempt,
        boolean cancelRequested,
        @Nullable String notes,
        @Nullable String operatorNotes,
        @Nullable String details) {

    /** A job that the same transition schedules and cancels. */
    static LockedJob born(JobKey key, NewJob job) {
        NewJob.Lease eager = job.eager();
        JobState state = eager == null ? JobState.READY : JobState.RUNNING;
        UUID lease = eager == null ? null : eager.token();
        return new LockedJob(key, job.route().taskQueue(), lease, state, 1, true, null, null, null);
    }

    /** Columns: run_id, seq, task_queue, lease, state, attempt, cancel_requested, notes, operator_notes. */
    public static LockedJob read(ResultSet row, Map<UUID, RunKey> runs) throws SQLException {
        RunKey run = Objects.requireNonNull(runs.get(row.getObject("run_id", UUID.class)));
        return read(row, run);
    }

    public static LockedJob read(ResultSet row, RunKey run) throws SQLException {
        return new LockedJob(
                new JobKey(run, row.getInt("seq")),
                row.getString("task_queue"),
                row.getObject("lease", UUID.class),
                JobState.of(row.getInt("state")),
                row.getInt("attempt"),
                row.getBoolean("cancel_requested"),
                row.getString("notes"),
                row.getString("operator_notes"),
                null);
    }

    /** The notes of its worker, followed by those of orders. */
    @Nullable
    public String allNotes() {
        return JobNotes.joined(notes, operatorNotes);
    }

    /** The notes and details that the run's history is to keep if the run closes before the job ends. */
    public LeftJob left(@Nullable String heartbeatDetails) {
        return new LeftJob(key.seq(), attempt, allNotes(), heartbeatDetails, null);
    }

    /** Returns whether an attempt is under way, in a worker or with a token's holder. */
    boolean isLeased() {
        return state.isLeased();
    }

    LockedJob after(JobUpdate.Retry retry) {
        return new LockedJob(
                key,
                taskQueue,
                null,
                state,
                retry.nextAttempt(),
                cancelRequested,
                retry.notes(),
                operatorNotes,
                retry.details());
    }

    LockedJob after(JobUpdate.Bury bury) {
        return new LockedJob(
                key,
                taskQueue,
                null,
                state,
                bury.nextAttempt(),
                cancelRequested,
                bury.notes(),
                operatorNotes,
                bury.details());
    }

    LockedJob after(JobUpdate.Release release) {
        return new LockedJob(
                key,
                taskQueue,
                null,
                state,
                attempt,
                cancelRequested,
                release.why() == null ? notes : release.why().notes(),
                operatorNotes,
                release.details());
    }

    LockedJob after(JobUpdate.Unread unread) {
        return new LockedJob(
                key,
                taskQueue,
                null,
                state,
                attempt,
                cancelRequested,
                unread.notes() == null ? notes : unread.notes(),
                operatorNotes,
                null);
    }

    @Override
    public String toString() {
        return "LockedJob[" + key + ", " + taskQueue + ", " + state + ", attempt=" + attempt + "]";
    }
}
