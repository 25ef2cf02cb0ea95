package dev.durable.history;

import java.time.Instant;
import java.util.UUID;

/**
 * The code cancelled a callback, or the coroutine that opened it was cancelled.
 *
 * @param id its place in the history
 * @param at when
 * @param number the number of the callback
 * @param callback the id of the callback
 */
public record CallbackCancelled(long id, Instant at, long number, UUID callback) implements HistoryEvent.Command {}
