package dev.durable.history;

import java.time.Instant;

/**
 * A side effect ran; its value is used from now on.
 *
 * @param id its place in the history
 * @param at when
 * @param value what it gave
 */
public record SideEffectRecorded(long id, Instant at, Payload value) implements HistoryEvent.Command {}
