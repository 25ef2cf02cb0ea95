package dev.durable.history;

import java.time.Instant;

/**
 * The code appended an entry to a stream of its chain. The entry is written with the transition that records this event.
 *
 * @param id its place in the history
 * @param at when
 * @param stream the name of the stream
 * @param value the value
 */
public record StreamAppended(long id, Instant at, String stream, Payload value) implements HistoryEvent.Command {}
