package dev.durable.history;

import java.time.Instant;

/**
 * The run failed: its run method or a handler threw.
 *
 * @param id its place in the history
 * @param at when
 * @param failure what it threw
 * @param lateMessages messages that came when the failure was fixed already, while the run waited for its clean-up and its
 *     compensations: their handlers could change state, and nothing else
 * @param abandonedHandlers handlers that had begun and were cancelled because the run ended before them
 */
public record WorkflowFailed(long id, Instant at, Failure failure, int lateMessages, int abandonedHandlers)
        implements HistoryEvent.Closing {

    /** No message came late, and no handler was abandoned. */
    public WorkflowFailed(long id, Instant at, Failure failure) {
        this(id, at, failure, 0, 0);
    }
}
