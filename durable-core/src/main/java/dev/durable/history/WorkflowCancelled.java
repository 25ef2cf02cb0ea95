package dev.durable.history;

import java.time.Instant;

/**
 * The run ended by the cancellation it was asked for.
 *
 * @param id its place in the history
 * @param at when
 * @param reason why
 * @param by the name of the client, operator or user that asked for it; empty in events of versions that did not say it
 * @param lateMessages messages that came when the end was fixed already, while the run waited for its clean-up and its
 *     compensations: their handlers could change state, and nothing else
 * @param abandonedHandlers handlers that had begun and were cancelled because the run ended before them
 */
public record WorkflowCancelled(long id, Instant at, String reason, String by, int lateMessages, int abandonedHandlers)
        implements HistoryEvent.Closing {

    /** No message came late, no handler was abandoned, and who asked for it is not said. */
    public WorkflowCancelled(long id, Instant at, String reason) {
        this(id, at, reason, "", 0, 0);
    }
}
