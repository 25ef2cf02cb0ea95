package dev.durable.history;

import java.time.Instant;
import java.util.UUID;

/**
 * The code opened a callback. The timer that is started behind it is its timeout.
 *
 * @param id its place in the history
 * @param at when
 * @param number its number among the callbacks of the run, from 1
 * @param callback its id, random when it was recorded; the token consists of it and of the ids of the run, and the message
 *     that ends the callback has it as its id
 */
public record CallbackOpened(long id, Instant at, long number, UUID callback) implements HistoryEvent.Command {}
