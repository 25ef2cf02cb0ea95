package dev.durable.history;

import java.time.Instant;

/**
 * An event that a newer version wrote, marked as informing: kept and shown, never fed.
 *
 * @param id its place in the history
 * @param at when
 * @param type its type
 * @param attributes its attributes as they stand in the store
 */
public record UnknownEvent(long id, Instant at, String type, String attributes) implements HistoryEvent.Informing {
    @Override
    public String toString() {
        return "UnknownEvent[" + id + ", " + at + ", " + type + "]";
    }
}
