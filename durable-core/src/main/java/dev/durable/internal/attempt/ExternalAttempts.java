package dev.durable.internal.attempt;

import dev.durable.history.EventJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.OptionsJson;
import dev.durable.history.Payload;
import dev.durable.history.TimeoutType;
import dev.durable.internal.json.JsonObjectWriter;
import dev.durable.internal.observe.FailureLog;
import dev.durable.internal.observe.Fingerprint;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobOrder;
import dev.durable.store.OpenJob;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Decides what follows when an attempt that a token holder completes from outside ({@code completeLater}) fails or
 * times out, by the {@link RetryRules} that hold for attempts in a worker, too, and expresses it as a {@link JobOrder}.
 */
public final class ExternalAttempts {
    private final HistoryStore store;
    private final RandomGenerator random;
    private final AttemptServices.Code code;
    private final String identity;
    private final FailureLog failures;

    /**
     * @param code the activities registered here, for the failures that their signatures declare
     * @param identity the name of this process in events
     * @param failures logs the decisions on attempts that failed
     */
    public ExternalAttempts(
            HistoryStore store,
            RandomGenerator random,
            AttemptServices.Code code,
            String identity,
            FailureLog failures) {
        this.failures = failures;
        this.store = store;
        this.random = random;
        this.code = code;
        this.identity = identity;
    }

    /**
     * Decides on a failure that the token's holder reports. The row in the audit makes a resend recognisable, however
     * late it is sent; its action is none that an operator can give.
     *
     * @param id the id by which a resend is recognised
     */
    public Judged failed(OpenJob job, Throwable thrown, UUID id) {
        AttemptResult ruling = rules(job).threw(thrown, job.status().cancelRequested());
        String action = ruling instanceof AttemptResult.GivenBack ? "attempt-deferred" : "attempt-failed";
        String details =
                JsonObjectWriter.object(out -> out.number("attempt", job.seen().attempt()));
        return new Judged(
                order(job, ruling, id, new JobOrder.Audit(id, identity, action, details)), () -> log(job, ruling));
    }

    /**
     * The decision on an attempt that failed or ran out of its time.
     *
     * @param order the order for the job in the state in which it was read
     * @param log logs the decision; called by the process whose order was carried out, as others may give it, too
     */
    public record Judged(JobOrder order, Runnable log) {}

    /** Decides on an attempt whose token's holder neither completed it in time nor sent a heartbeat in time. */
    public Judged overdue(OpenJob job) {
        UUID id = UUID.nameUUIDFromBytes((job.seen().lease() + " timed out").getBytes(StandardCharsets.UTF_8));
        AttemptResult ruling = rules(job).timedOut(timeout(job), job.status().cancelRequested());
        return new Judged(order(job, ruling, id, null), () -> log(job, ruling));
    }

    private void log(OpenJob job, AttemptResult ruling) {
        new FailedAttempt(job.key(), job.activity(), job.seen().attempt(), null).log(failures, ruling, null);
    }

    /**
     * Returns the timeout that ran out first; of two at one instant, the one that ends the activity for good. The
     * attempt is overdue by the clock of the database, which this process only estimates.
     */
    private static TimeoutType timeout(OpenJob job) {
        Instant close = orNever(job.times().scheduleToCloseDeadline());
        Instant silent = orNever(job.times().silentUntil());
        Instant deadline = orNever(job.times().deadline());
        if (!close.isAfter(silent) && !close.isAfter(deadline)) {
            return TimeoutType.SCHEDULE_TO_CLOSE;
        }
        return silent.isBefore(deadline) ? TimeoutType.HEARTBEAT : TimeoutType.START_TO_CLOSE;
    }

    private static Instant orNever(@Nullable Instant deadline) {
        return deadline == null ? Instant.MAX : deadline;
    }

    private RetryRules rules(OpenJob job) {
        Instant close = job.times().scheduleToCloseDeadline();
        return new RetryRules(
                new RetryRules.Of(
                        job.activity(),
                        job.key().seq(),
                        job.seen().attempt(),
                        job.route().workflowType().equals(BackgroundJob.TYPE),
                        ", which was left to the holder of its token,"),
                new RetryRules.Terms(
                        OptionsJson.decode(job.options()),
                        job.options(),
                        close == null ? null : Duration.between(now(), close)),
                code,
                random);
    }

    /**
     * Expresses the decision as an order. An order that ends the activity is recognised by the id of its outcome, any
     * other by its row in the audit.
     */
    private JobOrder order(OpenJob job, AttemptResult ruling, UUID id, JobOrder.@Nullable Audit audit) {
        AttemptEvents events = new AttemptEvents(job.key().seq(), job.seen().attempt(), id, now(), identity, null);
        String details = job.report().heartbeatDetails();
        return switch (ruling) {
            case AttemptResult.Failed failed -> end(job, id, events.failed(failed.failure()), null);
            case AttemptResult.Cancelled ignored -> end(job, id, events.cancelled(details), null);
            case AttemptResult.CancelledLate late ->
                end(job, id, events.cancelled(details), events.last(Notes.TIMED_OUT, late.failure()));
            case AttemptResult.TimedOut timedOut -> end(job, id, events.timedOut(timedOut.timeout(), details), null);
            case AttemptResult.OutOfTime late ->
                end(
                        job,
                        id,
                        events.timedOut(TimeoutType.SCHEDULE_TO_CLOSE, details),
                        events.last(late.reason(), late.failure()));
            case AttemptResult.Discarded discarded ->
                end(
                        job,
                        id,
                        events.completed(Payload.NULL, events.now()),
                        events.last(Notes.DISCARDED, discarded.failure()));
            case AttemptResult.Buried buried -> bury(job, buried, events, audit);
            case AttemptResult.Again again -> again(job, again, events, audit);
            case AttemptResult.GivenBack back ->
                new JobOrder.GiveBack(
                        job.key(),
                        new JobOrder.Trace(audit, null),
                        job.seen(),
                        new JobOrder.Next(back.delay(), job.seen().attempt(), null),
                        null);
        };
    }

    private static JobOrder end(
            OpenJob job, UUID id, HistoryEvent.ActivityClosed outcome, HistoryEvent.@Nullable Informing note) {
        JobOrder.Trace trace = new JobOrder.Trace(null, note == null ? null : EventJson.note(note));
        return new JobOrder.End(job.key(), trace, job.seen(), EventJson.outcome(id, outcome, null));
    }

    private static JobOrder bury(
            OpenJob job, AttemptResult.Buried buried, AttemptEvents events, JobOrder.@Nullable Audit audit) {
        String fingerprint = Fingerprint.of(job.activity(), buried.failure());
        return new JobOrder.Bury(
                job.key(),
                new JobOrder.Trace(
                        audit, EventJson.note(events.raised(buried, job.status().crashes(), fingerprint))),
                job.seen(),
                buried.incident(),
                fingerprint,
                AttemptReport.shown(buried.failure()));
    }

    private static JobOrder again(
            OpenJob job, AttemptResult.Again again, AttemptEvents events, JobOrder.@Nullable Audit audit) {
        AttemptResult.Again.Limited limited = again.limited();
        return new JobOrder.GiveBack(
                job.key(),
                new JobOrder.Trace(audit, EventJson.note(events.followed(again))),
                job.seen(),
                new JobOrder.Next(again.delay(), job.seen().attempt() + 1, limited == null ? null : limited.options()),
                AttemptReport.shown(again.failure()));
    }

    private Instant now() {
        return store.clock().now();
    }
}
