package dev.durable.history;

import java.time.Instant;

/**
 * The run ended by the cancellation it was asked for.
 *
 * @param id its place in the history
 * @param at when
 * @param reason why
 * @param lateMessages messages that came when the end was fixed already, while the run waited for its clean-up and its
 *     compensations: their handlers could change state, and nothing else
 * @param abandonedHandlers handlers that had begun and were cancelled because the run ended before them
 */
public record WorkflowCancelled(long id, Instant at, String reason, int lateMessages, int abandonedHandlers)
        implements HistoryEvent.Closing {

    /** No message came late, and no handler was abandoned. */
    public WorkflowCancelled(long id, Instant at, String reason) {
        this(id, at, reason, 0, 0);
    }
}
