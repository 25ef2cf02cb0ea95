package dev.durable.internal.attempt;

import dev.durable.history.Failure;
import dev.durable.internal.observe.FailureLog;
import dev.durable.internal.observe.FailureLog.Kind;
import dev.durable.internal.observe.Fingerprint;
import dev.durable.internal.observe.TraceId;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Logs the decision on an attempt that did not succeed, wherever it ran. A cancelled attempt and a job that was given
 * back count as no failure.
 *
 * @param attempt from 1
 * @param traceId the id of the trace that its span belongs to; null where none is known
 */
record FailedAttempt(
        JobKey key, String activity, int attempt, @Nullable String traceId) {

    static FailedAttempt of(ClaimedJob job) {
        return new FailedAttempt(
                job.key(),
                job.activity(),
                job.attempt(),
                TraceId.of(job.content().headers()));
    }

    /**
     * @param fingerprint the fingerprint to log; null for that of the failure
     */
    void log(FailureLog log, AttemptResult ruling, @Nullable String fingerprint) {
        switch (ruling) {
            case AttemptResult.Again again ->
                log(
                        log,
                        Kind.ATTEMPT,
                        "failed, and another follows in " + shown(again.delay()),
                        again.failure(),
                        fingerprint);
            case AttemptResult.Failed failed ->
                log(log, end(failed.declared()), "failed, and no other follows", failed.failure(), fingerprint);
            case AttemptResult.TimedOut late ->
                log(log, Kind.ACTIVITY, "timed out (" + late.timeout() + "), and no other follows", null, fingerprint);
            case AttemptResult.OutOfTime late ->
                log(
                        log,
                        Kind.ACTIVITY,
                        "failed, and no other follows, as the time of the activity is over (SCHEDULE_TO_CLOSE)",
                        late.failure(),
                        fingerprint);
            case AttemptResult.Discarded discarded ->
                log(
                        log,
                        end(discarded.declared()),
                        "failed, and the activity is discarded: it ends as if it had returned null",
                        discarded.failure(),
                        fingerprint);
            case AttemptResult.Buried buried ->
                log(
                        log,
                        Kind.INCIDENT,
                        "failed, and the activity waits for an operator as "
                                + (buried.incident() ? "an incident" : "a dead letter"),
                        buried.failure(),
                        fingerprint);
            case AttemptResult.Cancelled ignored -> {}
            case AttemptResult.CancelledLate ignored -> {}
            case AttemptResult.GivenBack ignored -> {}
        }
    }

    private void log(FailureLog log, Kind kind, String what, @Nullable Failure why, @Nullable String fingerprint) {
        if (log.logs(kind)) {
            String alike = fingerprint != null
                    ? fingerprint
                    : why == null ? activity + ": " + what : Fingerprint.of(activity, why);
            log.failed(
                    kind,
                    new FailureLog.Subject(key.run(), activity, attempt, traceId),
                    alike,
                    "attempt " + attempt + " of " + activity + " (activity " + key.seq() + " of workflow "
                            + key.run().shown() + ") " + what,
                    why);
        }
    }

    private static Kind end(boolean declared) {
        return declared ? Kind.DECLARED_ACTIVITY : Kind.ACTIVITY;
    }

    private static String shown(Duration delay) {
        return delay.toSeconds() >= 10 ? delay.toSeconds() + " s" : delay.toMillis() + " ms";
    }
}
