package dev.durable.store;

import dev.durable.history.ActivityCancelled;
import dev.durable.history.EventJson;
import dev.durable.history.InboxMessage;
import dev.durable.history.Payload;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Builds the outcome of an activity that was cancelled while it was not running: there is no worker to report it, so the
 * store writes it. Every store writes the same.
 */
public final class CancelledIdleJob {
    private CancelledIdleJob() {}

    /**
     * The message for the run's inbox.
     *
     * @param key the job
     * @param attemptsEnded how many attempts have ended; 0 if none began
     * @param heartbeatDetails the last accepted details, JSON text; null without
     * @param notes its informing events; null without
     */
    public static InboxMessage outcome(
            JobKey key, int attemptsEnded, @Nullable String heartbeatDetails, @Nullable String notes) {
        UUID id = messageId(key);
        Payload details = heartbeatDetails == null ? null : new Payload(heartbeatDetails);
        return EventJson.outcome(
                id, new ActivityCancelled(0, Instant.EPOCH, key.seq(), attemptsEnded, id, details), notes);
    }

    /** Derived from run and seq, so that cancelling twice gives one message. */
    public static UUID messageId(JobKey key) {
        UUID run = key.run().runId();
        ByteBuffer name = ByteBuffer.allocate(Long.BYTES * 2 + Integer.BYTES)
                .putLong(run.getMostSignificantBits())
                .putLong(run.getLeastSignificantBits())
                .putInt(key.seq());
        return UUID.nameUUIDFromBytes(name.array());
    }
}
