package dev.durable.store;

import org.jspecify.annotations.Nullable;

/**
 * Jobs that are handed out once. One whose worker is lost ends as failed with an unknown outcome, where others would go
 * back into their queue. As {@link CancelledIdleJob}, a store's own outcome.
 */
public final class AtMostOnce {
    private static final String FLAG = "\"atMostOnce\":true";
    private static final String FAILURE = "dev.durable.OutcomeUnknownException";

    private AtMostOnce() {}

    /**
     * Whether a job with these options is one.
     *
     * @param options ActivityOptions as JSON text
     */
    public static boolean says(String options) {
        return options.contains(FLAG);
    }

    /**
     * The message for the run's inbox. It has the id that the cancellation would have: one job ends idle once.
     *
     * @param key which job
     * @param attempt the attempt that was lost
     * @param notes its informing events; null without
     */
    public static InboxMessage lost(JobKey key, int attempt, @Nullable String notes) {
        String failure = "{\"type\":\"" + FAILURE + "\",\"message\":\"" + why(attempt) + "\"}";
        String attributes =
                "{\"seq\":" + key.seq() + ",\"attempt\":" + attempt + ",\"failure\":" + failure + ",\"worker\":\"\"}";
        return new InboxMessage(
                CancelledIdleJob.messageId(key),
                MessageKind.ACTIVITY_OUTCOME,
                "ActivityFailed",
                attributes,
                notes,
                null);
    }

    /** In words; without characters that JSON would escape. */
    public static String why(int attempt) {
        return "outcome unknown: the worker of attempt " + attempt
                + " was lost or shut down while the body may have run,"
                + " and the activity is at most once, so it is not tried again. Find out what it did, and go on from"
                + " there.";
    }
}
