package dev.durable.history;

import java.time.Instant;

/**
 * The run completed: its run method returned.
 *
 * @param id its place in the history
 * @param at when
 * @param result what it returned
 * @param lateMessages messages that came when the result was fixed already, while the run waited for its clean-up: their
 *     handlers could change state, and nothing else
 * @param abandonedHandlers handlers that had begun and were cancelled because the run ended before them
 */
public record WorkflowCompleted(long id, Instant at, Payload result, int lateMessages, int abandonedHandlers)
        implements HistoryEvent.Closing {

    /** No message came late, and no handler was abandoned. */
    public WorkflowCompleted(long id, Instant at, Payload result) {
        this(id, at, result, 0, 0);
    }
}
