package dev.durable.store;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Builds the outcome of an activity that was cancelled while no worker ran it. The store writes this outcome, because
 * there is no worker that could report it. Every store takes the wording from here.
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
        String details = heartbeatDetails == null ? "" : ",\"lastHeartbeatDetails\":" + heartbeatDetails;
        String attributes = "{\"seq\":" + key.seq() + ",\"attempt\":" + attemptsEnded + details + "}";
        return new InboxMessage(
                messageId(key), MessageKind.ACTIVITY_OUTCOME, "ActivityCancelled", attributes, notes, null);
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
