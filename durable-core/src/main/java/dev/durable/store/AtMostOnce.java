package dev.durable.store;

import dev.durable.history.ActivityFailed;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.InboxMessage;
import dev.durable.history.IncidentRaised;
import dev.durable.history.JobNotes;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Builds the outcomes and notes that a store writes about an at-most-once job whose worker was lost. Such a job fails
 * with an unknown outcome, where any other job would go back into its queue. A background job has no workflow code that
 * could react to the failure: where its options say that exhausted jobs become dead letters or incidents, it becomes
 * one. Both stores take the texts from here, as from {@link CancelledIdleJob}.
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
     * Returns whether a lost at-most-once job stays, as a dead letter or an incident, until an operator decides about
     * it.
     *
     * @param onExhausted what its options say, read as {@code retry.onExhausted}; null is FAIL
     */
    public static boolean isKept(String workflowType, @Nullable String onExhausted) {
        return workflowType.equals(BACKGROUND_JOB)
                && ("DEAD_LETTER".equals(onExhausted) || PoisonPill.isIncident(onExhausted));
    }

    /** All lost jobs of an activity are one group. */
    public static String fingerprint(String activity) {
        return activity + ": outcome unknown";
    }

    /** The last failure that descriptions show. */
    public static String lastFailure(int attempt) {
        return failure(attempt).typeAndMessage();
    }

    /**
     * The notes of the job, followed by the event that it stays, with the reason.
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
