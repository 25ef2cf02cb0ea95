package dev.durable.history;

import java.time.Instant;
import java.util.UUID;

/**
 * The holder of a callback's token completed the callback.
 *
 * @param id its place in the history
 * @param at when it was fed to the run
 * @param callback the id of the callback
 * @param result the value
 */
public record CallbackCompleted(long id, Instant at, UUID callback, Payload result)
        implements HistoryEvent.CallbackEnded {}
