package dev.durable.store;

import dev.durable.history.CallbackExtended;
import dev.durable.history.CallbackOpened;
import dev.durable.history.EventJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.StoredEvent;
import dev.durable.internal.json.JsonObjectReader;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A callback as one snapshot of the store shows it.
 *
 * @param open whether its run is open
 * @param lastEvent the last event of the history of its open run; 0 of a closed one, whose history grows no more
 * @param recorded the events of its history that open, cancel or end it
 * @param waiting its outcome that waits in the inbox; null where none does
 */
public record CallbackState(
        boolean open,
        long lastEvent,
        List<StoredEvent> recorded,
        @Nullable InboxMessage waiting) {

    public CallbackState {
        recorded = List.copyOf(recorded);
    }

    /** Returns whether the run has opened such a callback. */
    public boolean isKnown() {
        return recorded.stream().anyMatch(CallbackState::isOpening);
    }

    /** Returns whether the history has the event that ended it. */
    public boolean isEndRecorded() {
        return !recorded.stream().allMatch(CallbackState::isOpening);
    }

    private static boolean isOpening(StoredEvent event) {
        return event.type().equals(CallbackOpened.class.getSimpleName());
    }

    /** Returns the event that ended it, or will, as it waits in the inbox; null while there is none. */
    public @Nullable HistoryEvent end() {
        return recorded.stream()
                .filter(event -> !isOpening(event))
                .map(EventJson::decode)
                .findFirst()
                .orElseGet(() -> waiting == null ? null : EventJson.decode(event(waiting)));
    }

    private static StoredEvent event(InboxMessage message) {
        return new StoredEvent(
                1, message.name(), Objects.requireNonNull(message.at()), message.messageId(), message.payload());
    }

    /** Returns the message that brings news of a callback. */
    public static InboxMessage message(HistoryEvent.OfCallback event) {
        return new InboxMessage(
                event.messageId(), MessageKind.CALLBACK, event.type(), EventJson.attributes(event), null, null);
    }

    /**
     * Returns the id of a message that was sent in a caller's transaction: outcomes of one callback have one id.
     *
     * @param otherwise the id of news that is no outcome
     */
    public static UUID messageId(String name, String payload, UUID otherwise) {
        return name.equals(CallbackExtended.class.getSimpleName())
                ? otherwise
                : JsonObjectReader.of(payload).uuid("callback");
    }
}
