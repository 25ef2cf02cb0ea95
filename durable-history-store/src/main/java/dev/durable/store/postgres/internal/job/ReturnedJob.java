package dev.durable.store.postgres.internal.job;

import static dev.durable.store.postgres.internal.sql.Param.bools;
import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.longs;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.JobKey;
import dev.durable.store.JobUpdate;
import dev.durable.store.postgres.internal.sql.SafeText;
import dev.durable.store.postgres.internal.sql.SqlScript;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Puts a job back into its queue, for a retry, after a release, or because a worker could not read it. A component of
 * null keeps the value in the row.
 *
 * @param key the job
 * @param delay milliseconds until it may be claimed
 * @param attempt the number of the attempt that follows
 * @param notes the notes of its workers, a JSON array
 * @param lastFailure message for descriptions
 * @param options its options, if a failure changed them
 * @param begun whether its body was called, or may have been
 */
public record ReturnedJob(
        JobKey key,
        long delay,
        @Nullable Integer attempt,
        @Nullable String notes,
        @Nullable String lastFailure,
        JobUpdate.@Nullable NewOptions options,
        boolean begun) {

    /**
     * A job after a failed attempt.
     *
     * @param retry the update of its worker; null keeps attempt and notes
     */
    public ReturnedJob(JobKey key, long delay, JobUpdate.@Nullable Retry retry, boolean begun) {
        this(
                key,
                delay,
                retry == null ? null : Integer.valueOf(retry.nextAttempt()),
                retry == null ? null : retry.notes(),
                retry == null ? null : retry.lastFailure(),
                retry == null ? null : retry.options(),
                begun);
    }

    static ReturnedJob of(JobUpdate.Retry retry) {
        return new ReturnedJob(retry.key(), retry.delay().toMillis(), retry, true);
    }

    static ReturnedJob of(JobUpdate.Release release) {
        JobUpdate.Release.Why why = release.why();
        return new ReturnedJob(
                release.key(),
                release.delay().toMillis(),
                null,
                why == null ? null : why.notes(),
                why == null ? null : why.lastFailure(),
                null,
                release.begun());
    }

    static ReturnedJob of(JobUpdate.Unread unread) {
        return new ReturnedJob(
                unread.key(), unread.delay().toMillis(), null, unread.notes(), unread.lastFailure(), null, false);
    }

    public static void write(List<ReturnedJob> rows, SqlScript script) {
        script.then(
                JobSql.PUT_BACK,
                uuids(rows, r -> r.key().run().runId()),
                shorts(rows, r -> r.key().run().shard()),
                ints(rows, r -> r.key().seq()),
                longs(rows, ReturnedJob::delay),
                ints(rows, ReturnedJob::attempt),
                texts(rows, ReturnedJob::notes),
                texts(rows, ReturnedJob::storable),
                texts(rows, r -> r.options() == null ? null : r.options().json()),
                texts(rows, r -> r.options() == null ? null : r.options().insteadOf()),
                bools(rows, ReturnedJob::begun));
    }

    private @Nullable String storable() {
        return lastFailure == null ? null : SafeText.storable(lastFailure);
    }

    @Override
    public String toString() {
        return "ReturnedJob[" + key + ", delay=" + delay + ", attempt=" + attempt + "]";
    }
}
