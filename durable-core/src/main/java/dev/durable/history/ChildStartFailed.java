package dev.durable.history;

import java.time.Instant;
import java.util.UUID;

/**
 * A child was not started: a run of its workflow id is open, its reuse policy allows no other, or the database refused
 * the row.
 *
 * @param id its place in the history
 * @param at when it was fed to the run
 * @param number the number of the child
 * @param messageId id of the message that brought it: the child's chain
 * @param reason why
 */
public record ChildStartFailed(long id, Instant at, long number, UUID messageId, String reason)
        implements HistoryEvent.ChildClosed {}
