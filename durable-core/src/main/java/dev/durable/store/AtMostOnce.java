package dev.durable.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Builds the outcomes and notes that a store writes about an at-most-once job whose worker was lost. Such a job fails
 * with an unknown outcome, where any other job would go back into its queue. A background job has no workflow code that
 * could react to the failure: where its options say that exhausted jobs become dead letters or incidents, it becomes
 * one. Both stores take the texts from here, as from {@link CancelledIdleJob}.
 */
public final class AtMostOnce {
    private static final String FLAG = "\"atMostOnce\":true";
    private static final String FAILURE = "dev.durable.OutcomeUnknownException";
    private static final String BACKGROUND_JOB = "durable.job";

    private AtMostOnce() {}

    /**
     * Returns whether these options make a job at-most-once.
     *
     * @param options ActivityOptions as JSON text
     */
    public static boolean says(String options) {
        return options.contains(FLAG);
    }

    /**
     * The failure for the run's inbox. Its message id is the one that the cancellation of the job would have ({@link
     * CancelledIdleJob#messageId}), so that a job that ends without a worker gives one message.
     *
     * @param key which job
     * @param attempt the attempt that was lost
     * @param notes its informing events; null without
     */
    public static InboxMessage lost(JobKey key, int attempt, @Nullable String notes) {
        String attributes = "{\"seq\":" + key.seq() + ",\"attempt\":" + attempt + ",\"failure\":" + failure(attempt)
                + ",\"worker\":\"\"}";
        return new InboxMessage(
                CancelledIdleJob.messageId(key),
                MessageKind.ACTIVITY_OUTCOME,
                "ActivityFailed",
                attributes,
                notes,
                null);
    }

    private static String failure(int attempt) {
        return "{\"type\":\"" + FAILURE + "\",\"message\":\"" + why(attempt) + "\"}";
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
        return FAILURE + ": " + why(attempt);
    }

    /**
     * The notes of the job, followed by the event that it stays, with the reason.
     *
     * @param noted its informing events, a JSON array; null without
     */
    public static String notes(
            JobKey key, int attempt, String activity, boolean incident, Instant now, @Nullable String noted) {
        String raised = "{\"type\":\"IncidentRaised\",\"at\":\"" + now.truncatedTo(ChronoUnit.MICROS)
                + "\",\"attributes\":{\"informing\":true,\"seq\":" + key.seq() + ",\"attempt\":" + attempt
                + ",\"kind\":\"" + (incident ? "incident" : "dead letter")
                + "\",\"reason\":\"worker lost\",\"failure\":"
                + failure(attempt) + ",\"crashes\":0,\"fingerprint\":" + JsonText.quoted(fingerprint(activity)) + "}}";
        return Objects.requireNonNull(JobNotes.with(noted, raised));
    }

    /** The reason of the failure in words, without characters that JSON would escape. */
    public static String why(int attempt) {
        return "outcome unknown: the worker of attempt " + attempt
                + " was lost or shut down while the body may have run,"
                + " and the activity is at most once, so it is not tried again. Find out what it did, and go on from"
                + " there.";
    }
}
