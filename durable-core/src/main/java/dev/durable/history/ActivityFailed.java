package dev.durable.history;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An activity failed for good.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 * @param attempt the last attempt
 * @param messageId the lease token of that attempt
 * @param failure what it threw
 * @param worker identity of the worker that ran it
 * @param local what it was called with, if it is a local activity; null where an {@link ActivityScheduled} says it
 */
public record ActivityFailed(
        long id,
        Instant at,
        int seq,
        int attempt,
        UUID messageId,
        Failure failure,
        String worker,
        @Nullable LocalCall local)
        implements HistoryEvent.ActivityClosed {

    /** Of an activity that has a job. */
    public ActivityFailed(long id, Instant at, int seq, int attempt, UUID messageId, Failure failure, String worker) {
        this(id, at, seq, attempt, messageId, failure, worker, null);
    }
}
