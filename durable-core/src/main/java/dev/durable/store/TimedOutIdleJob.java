package dev.durable.store;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Builds the outcome of an activity that timed out while no worker ran it, which the store writes itself, as it does
 * {@link CancelledIdleJob}.
 */
public final class TimedOutIdleJob {
    /** The expiry as options are written, which is their first member. */
    private static final Pattern EXPIRY = Pattern.compile("\\s*\\{\\s*\"expiresAt\"\\s*:\\s*\"([^\"]+)\"");

    private TimedOutIdleJob() {}

    /** The timeouts that can end a job while it waits. */
    public enum Timeout {
        SCHEDULE_TO_START,
        SCHEDULE_TO_CLOSE,
        EXPIRY;

        /**
         * Returns the timeout that ends a job.
         *
         * @param toClose whether schedule-to-close has passed
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
     * The outcome for the run's inbox. Its message id is the one that the cancellation of the job would have, so that a
     * job that ends without a worker gives one message.
     *
     * @param key the job
     * @param timeout the timeout that has passed
     * @param attemptsEnded how many attempts have ended; 0 if none began
     * @param heartbeatDetails the last accepted details, JSON text; null without
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
