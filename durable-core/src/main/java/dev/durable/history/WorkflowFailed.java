package dev.durable.history;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The run failed: its run method or a handler threw.
 *
 * @param id its place in the history
 * @param at when
 * @param failure what it threw
 * @param lateMessages messages that came when the failure was fixed already, while the run waited for its clean-up and its
 *     compensations: their handlers could change state, and nothing else
 * @param abandonedHandlers handlers that had begun and were cancelled because the run ended before them
 * @param nextRunId the run that is the next attempt; null where none follows
 * @param retryIn how long that waits, from the commit of this event; null where none follows
 * @param failedAt the event that began the turn in which the failure arose; null where that is the last turn. The run
 *     closes later where the exception passed clean-up or the undo of a saga, or where the run waited for handlers or for
 *     its compensations
 */
public record WorkflowFailed(
        long id,
        Instant at,
        Failure failure,
        int lateMessages,
        int abandonedHandlers,
        @Nullable UUID nextRunId,
        @Nullable Duration retryIn,
        @Nullable Long failedAt)
        implements HistoryEvent.Closing {

    /** No message came late, no handler was abandoned, and no other attempt follows. */
    public WorkflowFailed(long id, Instant at, Failure failure) {
        this(id, at, failure, 0, 0, null, null, null);
    }
}
