package dev.durable.history;

import java.time.Instant;
import java.util.UUID;

/**
 * A signal came.
 *
 * @param id its place in the history
 * @param at when
 * @param messageId id made by the sender; unique in a history
 * @param name of the handler
 * @param input its arguments, a JSON array
 */
public record SignalReceived(long id, Instant at, UUID messageId, String name, Payload input)
        implements HistoryEvent.Inbound {}
