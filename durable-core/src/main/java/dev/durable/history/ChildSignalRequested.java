package dev.durable.history;

import java.time.Instant;

/**
 * The code sent a signal to a child, by its handle.
 *
 * @param id its place in the history
 * @param at when
 * @param number the number of the child
 * @param message the number of the signal among the messages that the chain has sent to workflows
 * @param signal the name of the signal
 * @param input its arguments, a JSON array
 */
public record ChildSignalRequested(long id, Instant at, long number, long message, String signal, Payload input)
        implements HistoryEvent.Command {}
