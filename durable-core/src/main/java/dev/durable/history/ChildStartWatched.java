package dev.durable.history;

import java.time.Instant;

/**
 * The code asked to be told when a child is started, by {@code started()} of its handle: {@link ChildStarted} answers.
 *
 * @param id its place in the history
 * @param at when
 * @param number the number of the child
 * @param message the number of the question among the messages that the chain has sent to workflows
 */
public record ChildStartWatched(long id, Instant at, long number, long message) implements HistoryEvent.Command {}
