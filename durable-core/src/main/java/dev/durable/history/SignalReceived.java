package dev.durable.history;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A signal was fed to the run.
 *
 * @param id its place in the history
 * @param at when it was fed to the run
 * @param messageId id made by the sender; unique in a history
 * @param name of the handler
 * @param input its arguments, a JSON array
 * @param withNext whether only its handler ran in this turn, to its first wait, and all else waited for the event behind
 *     it: messages are fed so where the first of them alone would have ended the run while the others waited
 * @param acceptedAt when its sender learned that it is durable, by the store's clock; null where that was {@code at},
 *     and in histories that older versions wrote
 */
public record SignalReceived(
        long id,
        Instant at,
        UUID messageId,
        String name,
        Payload input,
        boolean withNext,
        @Nullable Instant acceptedAt) implements HistoryEvent.Inbound {

    public SignalReceived {
        acceptedAt = at.equals(acceptedAt) ? null : acceptedAt;
    }

    /** A signal that was accepted when it was fed. */
    public SignalReceived(long id, Instant at, UUID messageId, String name, Payload input, boolean withNext) {
        this(id, at, messageId, name, input, withNext, null);
    }

    /** A signal that was fed in a turn of its own. */
    public SignalReceived(long id, Instant at, UUID messageId, String name, Payload input) {
        this(id, at, messageId, name, input, false);
    }
}
