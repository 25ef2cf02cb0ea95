package dev.durable.store.postgres;

import static dev.durable.store.postgres.Param.bools;
import static dev.durable.store.postgres.Param.ints;
import static dev.durable.store.postgres.Param.longs;
import static dev.durable.store.postgres.Param.shorts;
import static dev.durable.store.postgres.Param.texts;
import static dev.durable.store.postgres.Param.uuids;

import dev.durable.store.JobKey;
import dev.durable.store.JobUpdate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job that goes back into its queue.
 *
 * @param key which job
 * @param delay milliseconds until it may be claimed
 * @param retry the failed attempt behind it; null leaves attempt and notes as they are
 * @param begun whether its body was called, or may have been
 */
record PutBack(JobKey key, long delay, JobUpdate.@Nullable Retry retry, boolean begun) {

    static void write(List<PutBack> rows, Script script) {
        script.then(
                JobSql.PUT_BACK,
                uuids(rows, r -> r.key().run().runId()),
                shorts(rows, r -> r.key().run().shard()),
                ints(rows, r -> r.key().seq()),
                longs(rows, PutBack::delay),
                ints(rows, r -> r.retry() == null ? null : r.retry().nextAttempt()),
                texts(rows, r -> r.retry() == null ? null : r.retry().notes()),
                texts(rows, PutBack::lastFailure),
                texts(rows, r -> r.options() == null ? null : r.options().json()),
                texts(rows, r -> r.options() == null ? null : r.options().insteadOf()),
                bools(rows, PutBack::begun));
    }

    private JobUpdate.@Nullable NewOptions options() {
        return retry == null ? null : retry.options();
    }

    private @Nullable String lastFailure() {
        return retry == null || retry.lastFailure() == null ? null : Text.storable(retry.lastFailure());
    }
}
