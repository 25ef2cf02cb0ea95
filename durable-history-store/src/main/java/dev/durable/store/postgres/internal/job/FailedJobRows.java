package dev.durable.store.postgres.internal.job;

import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.JobKey;
import dev.durable.store.JobUpdate;
import dev.durable.store.OrphanedJob;
import dev.durable.store.postgres.internal.sql.SafeText;
import dev.durable.store.postgres.internal.sql.SqlScript;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns a job into a dead letter or an incident.
 *
 * @param key the job
 * @param incident whether it becomes an incident; else it becomes a dead letter
 * @param fingerprint equal for jobs that failed alike
 * @param crash 1 if its worker died now
 * @param attempt the attempt that an operator may allow
 * @param notes the notes of its workers, a JSON array
 * @param lastFailure message for descriptions
 * @param options its options from now on; null keeps what is stored
 */
public record FailedJobRows(
        JobKey key,
        boolean incident,
        String fingerprint,
        int crash,
        int attempt,
        String notes,
        String lastFailure,
        JobUpdate.@Nullable NewOptions options) {

    static FailedJobRows of(JobUpdate.Bury bury) {
        return new FailedJobRows(
                bury.key(),
                bury.incident(),
                bury.fingerprint(),
                0,
                bury.nextAttempt(),
                bury.notes(),
                bury.lastFailure(),
                bury.options());
    }

    /** A job whose worker is gone. */
    public static FailedJobRows of(JobKey key, OrphanedJob.Decision.Failed failed) {
        return new FailedJobRows(
                key,
                failed.incident(),
                failed.fingerprint(),
                failed.crash(),
                failed.nextAttempt(),
                failed.notes(),
                failed.lastFailure(),
                null);
    }

    public static void write(List<FailedJobRows> burials, SqlScript script) {
        if (burials.isEmpty()) {
            return;
        }
        List<FailedJobRows> rows = burials.stream()
                .sorted(Comparator.comparing(FailedJobRows::key, JobKey.LOCK_ORDER))
                .toList();
        script.then(
                JobSql.BURY,
                uuids(rows, r -> r.key().run().runId()),
                shorts(rows, r -> r.key().run().shard()),
                ints(rows, r -> r.key().seq()),
                shorts(rows, r -> (int) (r.incident() ? JobState.INCIDENT : JobState.DEAD).code()),
                texts(rows, r -> SafeText.storable(r.fingerprint())),
                ints(rows, FailedJobRows::crash),
                ints(rows, FailedJobRows::attempt),
                texts(rows, FailedJobRows::notes),
                texts(rows, r -> SafeText.storable(r.lastFailure())),
                texts(rows, r -> r.options() == null ? null : r.options().json()),
                texts(rows, r -> r.options() == null ? null : r.options().insteadOf()));
    }

    @Override
    public String toString() {
        return "FailedJobRows[" + key + ", incident=" + incident + ", " + fingerprint + "]";
    }
}
