package dev.durable.store;

import dev.durable.history.ActivityTimedOut;
import dev.durable.history.EventJson;
import dev.durable.history.InboxMessage;
import dev.durable.history.OptionsJson;
import dev.durable.history.Payload;
import dev.durable.history.TimeoutType;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Builds the outcome of an activity that timed out while it was not running, which the store writes itself as it does
 * {@link CancelledIdleJob}.
 */
public final class TimedOutIdleJob {
    private TimedOutIdleJob() {}

    /** The times that can be over while an activity waits. */
    public enum Timeout {
        SCHEDULE_TO_START,
        SCHEDULE_TO_CLOSE,
        EXPIRY;

        /**
         * The one that was over.
         *
         * @param toClose whether schedule-to-close has passed
         * @param toStart when its first attempt must have begun; null is never
         * @param options ActivityOptions as JSON text
         */
        public static Timeout of(boolean toClose, @Nullable Instant toStart, String options) {
            if (toClose) {
                return SCHEDULE_TO_CLOSE;
            }
            Instant expiry = OptionsJson.expiresAt(options);
            return expiry != null && toStart != null && !expiry.isAfter(toStart) ? EXPIRY : SCHEDULE_TO_START;
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
        UUID id = CancelledIdleJob.messageId(key);
        Payload details = heartbeatDetails == null ? null : new Payload(heartbeatDetails);
        TimeoutType type = TimeoutType.valueOf(timeout.name());
        return EventJson.outcome(
                id, new ActivityTimedOut(0, Instant.EPOCH, key.seq(), attemptsEnded, id, type, details), notes);
    }
}
