package dev.durable.history;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An activity ran out of a timeout for good.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 * @param attempt the last attempt
 * @param messageId the lease token of that attempt
 * @param timeout which one
 * @param lastHeartbeatDetails the last accepted details
 * @param lastFailure type and message of what its last attempt, or last try, failed with; null where nothing did, and where an
 *     older release wrote it
 * @param local what it was called with, if it is a local activity; null where an {@link ActivityScheduled} says it
 */
public record ActivityTimedOut(
        long id,
        Instant at,
        int seq,
        int attempt,
        UUID messageId,
        TimeoutType timeout,
        @Nullable Payload lastHeartbeatDetails,
        @Nullable Failure lastFailure,
        @Nullable LocalCall local)
        implements HistoryEvent.ActivityClosed {

    /** Of an activity that has a job. */
    public ActivityTimedOut(
            long id,
            Instant at,
            int seq,
            int attempt,
            UUID messageId,
            TimeoutType timeout,
            @Nullable Payload lastHeartbeatDetails) {
        this(id, at, seq, attempt, messageId, timeout, lastHeartbeatDetails, null, null);
    }

    /** Of which no failure is known. */
    public ActivityTimedOut(
            long id,
            Instant at,
            int seq,
            int attempt,
            UUID messageId,
            TimeoutType timeout,
            @Nullable Payload lastHeartbeatDetails,
            @Nullable LocalCall local) {
        this(id, at, seq, attempt, messageId, timeout, lastHeartbeatDetails, null, local);
    }

    /** Copies the event with the failure of the last attempt. */
    public ActivityTimedOut after(Failure failure) {
        return new ActivityTimedOut(id, at, seq, attempt, messageId, timeout, lastHeartbeatDetails, failure, local);
    }
}
