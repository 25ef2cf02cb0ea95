package dev.durable.store.postgres.internal.upkeep;

import dev.durable.store.AtMostOnce;
import dev.durable.store.InboxMessage;
import dev.durable.store.JobKey;
import dev.durable.store.PoisonPill;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.internal.job.Cancellations;
import dev.durable.store.postgres.internal.job.FailedJobRows;
import dev.durable.store.postgres.internal.job.HeartbeatRows;
import dev.durable.store.postgres.internal.job.IdleJobs;
import dev.durable.store.postgres.internal.job.LockedJob;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TimeColumns;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A running job whose session is dead, locked to be put back into its queue. It goes back into its queue with a crash
 * more; beyond its crash budget it stays as a dead letter or incident, or goes, as its options say. One that must not
 * run twice ends here.
 *
 * @param crashes with this one
 * @param ifLost how it stays where it must not run twice; none where it ends then
 */
record OrphanedJob(
        LockedJob job,
        String activity,
        int crashes,
        int maxCrashes,
        @Nullable String onExhausted,
        boolean atMostOnce,
        Optional<FailedJobRows> ifLost,
        Instant now) {

    static OrphanedJob read(ResultSet row, RunKey run) throws SQLException {
        LockedJob job = LockedJob.read(row, run);
        return new OrphanedJob(
                job,
                row.getString("activity"),
                row.getInt("crashes") + 1,
                row.getInt("max_crashes"),
                row.getString("on_exhausted"),
                AtMostOnce.says(row.getString("options")),
                FailedJobRows.ofLost(job, row),
                TimeColumns.required(row, "now"));
    }

    static void write(List<OrphanedJob> found, Tx tx, SqlScript script, PendingNudges freed) throws SQLException {
        List<OrphanedJob> orphans = found.stream()
                .sorted(Comparator.comparing(o -> o.job().key(), JobKey.LOCK_ORDER))
                .toList();
        List<LockedJob> back = orphans.stream()
                .filter(o -> !o.isCancelled() && !o.isLost() && !o.isPoison())
                .map(OrphanedJob::job)
                .toList();
        script.then(
                SessionSql.CRASH,
                HeartbeatRows.keys(back.stream().map(LockedJob::key).toList()));
        back.forEach(job -> freed.jobs(job.taskQueue()));
        List<FailedJobRows> burials =
                orphans.stream().flatMap(o -> o.burial().stream()).toList();
        FailedJobRows.write(burials, script);
        if (!burials.isEmpty()) {
            freed.buried();
        }
        new IdleJobs(orphans.stream()
                        .filter(o -> o.isLost() && o.burial().isEmpty())
                        .map(OrphanedJob::job)
                        .toList())
                .end((job, details) -> AtMostOnce.lost(job.key(), job.attempt(), job.allNotes()), tx, script, freed);
        discard(orphans.stream().filter(o -> o.isPoison() && o.isDiscarded()).toList(), tx, script, freed);
        Cancellations.end(
                orphans.stream()
                        .filter(OrphanedJob::isCancelled)
                        .map(OrphanedJob::job)
                        .toList(),
                tx,
                script,
                freed);
    }

    private static void discard(List<OrphanedJob> poison, Tx tx, SqlScript script, PendingNudges freed)
            throws SQLException {
        Map<JobKey, OrphanedJob> byKey =
                poison.stream().collect(Collectors.toMap(o -> o.job().key(), Function.identity()));
        new IdleJobs(poison.stream().map(OrphanedJob::job).toList())
                .end(
                        (job, details) ->
                                Objects.requireNonNull(byKey.get(job.key())).discarded(),
                        tx,
                        script,
                        freed);
    }

    private boolean isCancelled() {
        return job.cancelRequested();
    }

    /** It may have run, and must not run twice. */
    private boolean isLost() {
        return !isCancelled() && atMostOnce;
    }

    private boolean isPoison() {
        return !isCancelled() && !isLost() && crashes > maxCrashes;
    }

    private boolean isDiscarded() {
        return PoisonPill.isDiscarded(onExhausted);
    }

    private InboxMessage discarded() {
        return PoisonPill.discarded(job.key(), job.attempt(), crashes, now, job.allNotes());
    }

    /** Whether it becomes a dead letter or an incident. */
    private Optional<FailedJobRows> burial() {
        if (isLost()) {
            return ifLost;
        }
        if (!isPoison() || isDiscarded()) {
            return Optional.empty();
        }
        boolean incident = PoisonPill.isIncident(onExhausted);
        return Optional.of(new FailedJobRows(
                job.key(),
                incident,
                PoisonPill.fingerprint(activity),
                1,
                job.attempt(),
                PoisonPill.notes(job.key(), activity, job.attempt(), crashes, incident, now, job.notes()),
                PoisonPill.lastFailure(crashes),
                null));
    }
}
