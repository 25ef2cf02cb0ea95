package dev.durable.store;

import org.jspecify.annotations.Nullable;

/** The outcome of an activity whose time was over while nobody ran it; as {@link CancelledIdleJob}, a store's own. */
public final class TimedOutIdleJob {
    private TimedOutIdleJob() {}

    /** Whose time can be over while it waits. */
    public enum Timeout {
        SCHEDULE_TO_START,
        SCHEDULE_TO_CLOSE
    }

    /**
     * The message for the run's inbox. It has the id that the cancellation would have: one job ends idle once.
     *
     * @param key which job
     * @param timeout which time was over
     * @param attemptsEnded how many attempts have ended; 0 if none began
     * @param heartbeatDetails last accepted details, JSON text; null without
     * @param notes its informing events; null without
     */
    public static InboxMessage outcome(
            JobKey key, Timeout timeout, int attemptsEnded, @Nullable String heartbeatDetails, @Nullable String notes) {
        String details = heartbeatDetails == null ? "" : ",\"lastHeartbeatDetails\":" + heartbeatDetails;
        String attributes = "{\"seq\":" + key.seq() + ",\"attempt\":" + attemptsEnded + ",\"timeout\":\"" + timeout
                + "\"" + details + "}";
        return new InboxMessage(
                CancelledIdleJob.messageId(key),
                MessageKind.ACTIVITY_OUTCOME,
                "ActivityTimedOut",
                attributes,
                notes,
                null);
    }
}
