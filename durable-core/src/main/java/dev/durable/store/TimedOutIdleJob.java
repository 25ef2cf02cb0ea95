package dev.durable.store;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Builds the outcome of an activity that timed out while nobody ran it, which the store writes itself as it does {@link
 * CancelledIdleJob}.
 */
public final class TimedOutIdleJob {
    /** As the options are written, first of all; a store reads no JSON. */
    private static final Pattern EXPIRY = Pattern.compile("\\s*\\{\\s*\"expiresAt\"\\s*:\\s*\"([^\"]+)\"");

    private TimedOutIdleJob() {}

    /** Whose time can be over while it waits. */
    public enum Timeout {
        SCHEDULE_TO_START,
        SCHEDULE_TO_CLOSE,
        EXPIRY;

        /**
         * Which one was over.
         *
         * @param toClose whether schedule-to-close was
         * @param toStart when its first attempt must have begun; null is never
         * @param options ActivityOptions as JSON text
         */
        public static Timeout of(boolean toClose, @Nullable Instant toStart, String options) {
            if (toClose) {
                return SCHEDULE_TO_CLOSE;
            }
            Instant expiry = expiry(options);
            return expiry != null && toStart != null && !expiry.isAfter(toStart) ? EXPIRY : SCHEDULE_TO_START;
        }
    }

    private static @Nullable Instant expiry(String options) {
        Matcher said = EXPIRY.matcher(options);
        try {
            return said.lookingAt() ? Instant.parse(said.group(1)) : null;
        } catch (DateTimeException e) {
            return null;
        }
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
