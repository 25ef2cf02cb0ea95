package dev.durable.history;

import java.time.Instant;
import java.util.UUID;

/**
 * The holder of a callback's token let the callback fail.
 *
 * @param id its place in the history
 * @param at when it was fed to the run
 * @param callback the id of the callback
 * @param failure the failure
 */
public record CallbackFailed(long id, Instant at, UUID callback, Failure failure)
        implements HistoryEvent.CallbackEnded {}
