package dev.durable.history;

import java.time.Instant;

/**
 * The handler of an update returned.
 *
 * @param id its place in the history
 * @param at when
 * @param updateId the update's id
 * @param result the value that the handler returned; JSON null where it returns nothing
 */
public record UpdateCompleted(long id, Instant at, String updateId, Payload result) implements HistoryEvent.Command {}
