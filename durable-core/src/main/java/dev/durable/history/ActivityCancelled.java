package dev.durable.history;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An activity that was asked to cancel has ended.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 * @param attempt the last attempt
 * @param messageId id of the message that brought it
 * @param lastHeartbeatDetails the last accepted details
 * @param local what it was called with, if it is a local activity; null where an {@link ActivityScheduled} says it
 */
public record ActivityCancelled(
        long id,
        Instant at,
        int seq,
        int attempt,
        UUID messageId,
        @Nullable Payload lastHeartbeatDetails,
        @Nullable LocalCall local)
        implements HistoryEvent.ActivityClosed {

    /** Of an activity that has a job. */
    public ActivityCancelled(
            long id, Instant at, int seq, int attempt, UUID messageId, @Nullable Payload lastHeartbeatDetails) {
        this(id, at, seq, attempt, messageId, lastHeartbeatDetails, null);
    }
}
