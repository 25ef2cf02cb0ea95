package dev.durable.history;

import java.time.Instant;
import java.util.UUID;

/**
 * Somebody asked the run to end; its code sees a CancelledException.
 *
 * @param id its place in the history
 * @param at when
 * @param messageId id of the message that brought it
 * @param reason why
 * @param by who
 */
public record WorkflowCancelRequested(long id, Instant at, UUID messageId, String reason, String by)
        implements HistoryEvent.Inbound {}
