package dev.durable.store;

import dev.durable.history.ActivityFailed;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.IncidentRaised;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Builds what a store writes about an at-most-once job whose worker was lost. One whose worker is lost ends as failed
 * with an unknown outcome, where others would go back into their queue; a background job, which has no code to hear of
 * that, stays as what its options say of one that is used up. As {@link CancelledIdleJob}, a store's own words.
 */
public final class AtMostOnce {
    private static final String FAILURE = "dev.durable.OutcomeUnknownException";
    private static final String BACKGROUND_JOB = "durable.job";

    private AtMostOnce() {}

    /**
     * The message for the run's inbox. It has the id that the cancellation would have: one job ends idle once.
     *
     * @param key which job
     * @param attempt the attempt that was lost
     * @param notes its informing events; null without
     */
    public static InboxMessage lost(JobKey key, int attempt, @Nullable String notes) {
        UUID id = CancelledIdleJob.messageId(key);
        return EventJson.outcome(
                id, new ActivityFailed(0, Instant.EPOCH, key.seq(), attempt, id, failure(attempt), ""), notes);
    }

    private static Failure failure(int attempt) {
        return Failure.of(FAILURE, why(attempt));
    }

    // ── background jobs ──────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * Whether one that is lost stays until an operator says what becomes of it.
     *
     * @param onExhausted what its options say, read as {@code retry.onExhausted}; null is FAIL
     */
    public static boolean isKept(String workflowType, @Nullable String onExhausted) {
        return workflowType.equals(BACKGROUND_JOB)
                && ("DEAD_LETTER".equals(onExhausted) || PoisonPill.isIncident(onExhausted));
    }

    /** All jobs of an activity that are lost are one group. */
    public static String fingerprint(String activity) {
        return activity + ": outcome unknown";
    }

    /** What descriptions show. */
    public static String lastFailure(int attempt) {
        return failure(attempt).typeAndMessage();
    }

    /**
     * What it has noted, then that it stays, and why.
     *
     * @param noted its informing events, a JSON array; null without
     */
    public static String notes(
            JobKey key, int attempt, String activity, boolean incident, Instant now, @Nullable String noted) {
        IncidentRaised raised = new IncidentRaised(
                0,
                now.truncatedTo(ChronoUnit.MICROS),
                key.seq(),
                attempt,
                PoisonPill.kind(incident),
                PoisonPill.WORKER_LOST,
                failure(attempt),
                0,
                fingerprint(activity));
        return Objects.requireNonNull(JobNotes.with(noted, EventJson.note(raised)));
    }

    /** The reason in words. */
    public static String why(int attempt) {
        return "outcome unknown: the worker of attempt " + attempt
                + " was lost or shut down while the body may have run,"
                + " and the activity is at most once, so it is not tried again. Find out what it did, and go on from"
                + " there.";
    }
}
