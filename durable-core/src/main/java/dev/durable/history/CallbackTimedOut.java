package dev.durable.history;

import java.time.Instant;
import java.util.UUID;

/**
 * The time of a callback was over, and no outcome of it had come. When its timer fires, the run sends itself this as a
 * message with the id that every outcome of the callback has: the inbox takes in the first of them.
 *
 * @param id its place in the history
 * @param at when it was fed to the run
 * @param callback the id of the callback
 */
public record CallbackTimedOut(long id, Instant at, UUID callback) implements HistoryEvent.CallbackEnded {}
