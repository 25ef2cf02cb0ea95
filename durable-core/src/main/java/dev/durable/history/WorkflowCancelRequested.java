package dev.durable.history;

import java.time.Instant;
import java.util.UUID;

/**
 * A request to cancel was fed to the run; its code sees a CancelledException.
 *
 * @param id its place in the history
 * @param at when
 * @param messageId id of the message that brought it
 * @param reason why
 * @param by the name of the client, operator or user that asked for it
 * @param withNext whether the code ran only after the event behind it: see {@link SignalReceived#withNext}
 */
public record WorkflowCancelRequested(long id, Instant at, UUID messageId, String reason, String by, boolean withNext)
        implements HistoryEvent.Inbound {

    /** A request with a turn of its own. */
    public WorkflowCancelRequested(long id, Instant at, UUID messageId, String reason, String by) {
        this(id, at, messageId, reason, by, false);
    }
}
