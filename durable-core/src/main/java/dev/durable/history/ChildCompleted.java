package dev.durable.history;

import java.time.Instant;
import java.util.UUID;

/**
 * A child completed.
 *
 * @param id its place in the history
 * @param at when it was fed to the run
 * @param number the number of the child
 * @param messageId id of the message that brought it: the child's chain
 * @param result the child's result
 */
public record ChildCompleted(long id, Instant at, long number, UUID messageId, Payload result)
        implements HistoryEvent.ChildClosed {}
