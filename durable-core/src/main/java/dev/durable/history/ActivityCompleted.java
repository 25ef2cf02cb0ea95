package dev.durable.history;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An activity completed with a result.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 * @param attempt the attempt that completed
 * @param messageId the lease token of that attempt
 * @param result what it returned
 * @param startedAt when that attempt started
 * @param worker identity of the worker that ran it
 * @param local what it was called with, if it is a local activity; null where an {@link ActivityScheduled} says it
 */
public record ActivityCompleted(
        long id,
        Instant at,
        int seq,
        int attempt,
        UUID messageId,
        Payload result,
        Instant startedAt,
        String worker,
        @Nullable LocalCall local)
        implements HistoryEvent.ActivityClosed {

    /** Of an activity that has a job. */
    public ActivityCompleted(
            long id,
            Instant at,
            int seq,
            int attempt,
            UUID messageId,
            Payload result,
            Instant startedAt,
            String worker) {
        this(id, at, seq, attempt, messageId, result, startedAt, worker, null);
    }
}
