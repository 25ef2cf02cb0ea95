package dev.durable.history;

import java.time.Instant;
import java.util.UUID;

/**
 * A child was started. Recorded only where the code has asked for it: {@link ChildStartWatched}.
 *
 * @param id its place in the history
 * @param at when it was fed to the run
 * @param number the number of the child
 * @param messageId id of the message that brought it, which follows from the child's chain
 */
public record ChildStarted(long id, Instant at, long number, UUID messageId) implements HistoryEvent.OfChild {}
