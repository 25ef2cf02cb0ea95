package dev.durable.store.postgres.internal.job;

import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.JobUpdate;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import java.util.List;

/** Writes the rows of attempts that were left to the holder of its token ({@code completeLater}). */
final class DetachedJobs {
    private DetachedJobs() {}

    static void write(List<JobUpdate.Detach> rows, SqlScript script) {
        script.then(
                JobSql.DETACH,
                uuids(rows, r -> r.key().run().runId()),
                shorts(rows, r -> r.key().run().shard()),
                ints(rows, r -> r.key().seq()),
                texts(rows, JobUpdate.Detach::notes),
                Param.longs(rows, r -> r.left().toMillis()),
                Param.longs(rows, r -> r.silence() == null ? null : r.silence().toMillis()),
                ints(rows, JobUpdate.Detach::revision),
                texts(rows, r -> r.options() == null ? null : r.options().json()),
                texts(rows, r -> r.options() == null ? null : r.options().insteadOf()));
    }
}
