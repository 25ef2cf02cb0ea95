package dev.durable.history;

import dev.durable.internal.text.Portion;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A history event as it is stored.
 *
 * @param id its number in the history
 * @param type its type
 * @param at when it happened, to the microsecond
 * @param messageId id of the message that brought it; null if none did
 * @param attributes its attributes, JSON text kept as written
 */
public record StoredEvent(
        long id, String type, Instant at, @Nullable UUID messageId, String attributes) {
    /** The most that a store may count it for, in a portion. */
    public long atMost() {
        return Portion.atMost(attributes);
    }

    @Override
    public String toString() {
        return "StoredEvent[" + id + ", " + type + ", " + at + ", " + messageId + "]";
    }
}
