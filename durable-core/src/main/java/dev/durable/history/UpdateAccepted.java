package dev.durable.history;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An update passed its validator and was fed to the run. Its answer is the {@link UpdateCompleted} or {@link
 * UpdateFailed} of the same update id; without either, the run ended before its handler had returned. An update that is
 * rejected leaves no event.
 *
 * @param id its place in the history
 * @param at when it was fed to the run
 * @param messageId id of the message that brought it; unique in a history
 * @param updateId id given by the caller; an update id is accepted once in a history
 * @param name of the handler
 * @param input its arguments, a JSON array
 * @param withNext whether only its handler ran in this turn: see {@link SignalReceived#withNext}
 * @param acceptedAt when its message was durable, by the store's clock; null where that was {@code at}
 */
public record UpdateAccepted(
        long id,
        Instant at,
        UUID messageId,
        String updateId,
        String name,
        Payload input,
        boolean withNext,
        @Nullable Instant acceptedAt)
        implements HistoryEvent.Inbound {

    public UpdateAccepted {
        acceptedAt = at.equals(acceptedAt) ? null : acceptedAt;
    }

    /** An update that was fed in a turn of its own as soon as its message was durable. */
    public UpdateAccepted(long id, Instant at, UUID messageId, String updateId, String name, Payload input) {
        this(id, at, messageId, updateId, name, input, false, null);
    }
}
