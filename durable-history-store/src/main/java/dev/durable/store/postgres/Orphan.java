package dev.durable.store.postgres;

import dev.durable.store.AtMostOnce;
import dev.durable.store.JobKey;
import dev.durable.store.JobNotes;
import dev.durable.store.PoisonPill;
import dev.durable.store.RunKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A running job whose session is dead or gone, found under lock. It goes back into its queue with a crash more; beyond its
 * crash budget it stays as a dead letter or incident, or goes, as its options say. One that must not run twice ends here.
 *
 * @param crashes with this one
 */
record Orphan(
        LockedJob job,
        String activity,
        int crashes,
        int maxCrashes,
        @Nullable String onExhausted,
        boolean atMostOnce,
        Instant now) {

    static Orphan read(ResultSet row, RunKey run) throws SQLException {
        return new Orphan(
                LockedJob.read(row, run),
                row.getString("activity"),
                row.getInt("crashes") + 1,
                row.getInt("max_crashes"),
                row.getString("on_exhausted"),
                AtMostOnce.says(row.getString("options")),
                Times.required(row, "now"));
    }

    static void write(List<Orphan> found, Tx tx, Script script, Hints freed) throws SQLException {
        List<Orphan> orphans = found.stream()
                .sorted(Comparator.comparing(o -> o.job().key(), JobKey.LOCK_ORDER))
                .toList();
        List<LockedJob> back = orphans.stream()
                .filter(o -> !o.isCancelled() && !o.isLost() && !o.isPoison())
                .map(Orphan::job)
                .toList();
        script.then(
                SessionSql.CRASH,
                Heartbeats.keys(back.stream().map(LockedJob::key).toList()));
        back.forEach(job -> freed.jobs(job.taskQueue()));
        Burial.write(
                orphans.stream()
                        .filter(o -> o.isPoison() && !o.isDiscarded())
                        .map(Orphan::burial)
                        .toList(),
                script);
        new IdleJobs(orphans.stream().filter(Orphan::isLost).map(Orphan::job).toList())
                .end((job, details) -> AtMostOnce.lost(job.key(), job.attempt(), job.allNotes()), tx, script, freed);
        discard(orphans.stream().filter(o -> o.isPoison() && o.isDiscarded()).toList(), tx, script, freed);
        Cancellations.end(
                orphans.stream().filter(Orphan::isCancelled).map(Orphan::job).toList(), tx, script, freed);
    }

    private static void discard(List<Orphan> poison, Tx tx, Script script, Hints freed) throws SQLException {
        if (!poison.isEmpty()) {
            Instant now = poison.getFirst().now();
            new IdleJobs(poison.stream().map(Orphan::job).toList())
                    .end(
                            (job, details) -> PoisonPill.discarded(job.key(), job.attempt(), now, job.allNotes()),
                            tx,
                            script,
                            freed);
        }
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

    private Burial burial() {
        boolean incident = PoisonPill.isIncident(onExhausted);
        String note = PoisonPill.note(job.key(), activity, job.attempt(), crashes, incident, now);
        return new Burial(
                job.key(),
                incident,
                PoisonPill.fingerprint(activity),
                1,
                job.attempt(),
                Objects.requireNonNull(JobNotes.with(job.notes(), note)),
                PoisonPill.lastFailure(crashes),
                null);
    }
}
