package dev.durable.history;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/**
 * The holder of a callback's token gave the callback more time. The timer that is started behind it is the new timeout.
 *
 * @param id its place in the history
 * @param at when it was fed to the run
 * @param messageId id of the message that brought it
 * @param callback the id of the callback
 * @param time the time from now on
 */
public record CallbackExtended(long id, Instant at, UUID messageId, UUID callback, Duration time)
        implements HistoryEvent.OfCallback {}
