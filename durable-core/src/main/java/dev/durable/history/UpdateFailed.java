package dev.durable.history;

import java.time.Instant;

/**
 * The handler of an update threw an exception, which its caller gets; the run goes on.
 *
 * @param id its place in the history
 * @param at when
 * @param updateId the update's id
 * @param failure the exception
 */
public record UpdateFailed(long id, Instant at, String updateId, Failure failure) implements HistoryEvent.Command {}
