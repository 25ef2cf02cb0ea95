package dev.durable.internal.run;

import dev.durable.DurableException;
import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.history.UpdateAccepted;
import dev.durable.internal.text.Thrown;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the events that messages of an inbox hold as text: the outcome of an activity with the notes of its attempts, an
 * update, and the request to cancel. A text that can't be read stalls the run before anything is written: a history can't be mended, an
 * inbox can.
 */
final class InboxEvents {
    private InboxEvents() {}

    /**
     * Returns the last failure, without its stack, which stands in the history just before; null where there is none.
     */
    static @Nullable Failure lastFailure(List<StoredEvent> informing) {
        return informing.stream()
                .map(EventJson::decode)
                .filter(ActivityAttemptFailed.class::isInstance)
                .map(note -> ((ActivityAttemptFailed) note).failure())
                .filter(Objects::nonNull)
                .reduce((before, after) -> after)
                .map(last -> Failure.of(last.type(), last.message()))
                .orElse(null);
    }

    /** Reads the notes before any of them is written: a history can't be mended, an inbox can. */
    static List<StoredEvent> notes(InboxMessage message) {
        try {
            List<StoredEvent> notes = EventJson.decodeNotes(message.notes());
            for (StoredEvent note : notes) {
                if (!(EventJson.decode(note) instanceof HistoryEvent.Informing)) {
                    throw unreadable(message, note.type() + " is among its notes, which only inform", null);
                }
            }
            return notes;
        } catch (IllegalArgumentException | DateTimeException e) {
            throw unreadable(message, "its notes can't be read: " + Thrown.of(e).words(), e);
        }
    }

    /** Reads an update as the event that it becomes. */
    static UpdateAccepted update(InboxMessage message, long id, Instant at) {
        StoredEvent stored =
                new StoredEvent(id, UpdateAccepted.class.getSimpleName(), at, message.messageId(), message.payload());
        return read(message, stored, UpdateAccepted.class);
    }

    static <E extends HistoryEvent> E read(InboxMessage message, StoredEvent stored, Class<E> type) {
        HistoryEvent event;
        try {
            event = EventJson.decode(stored);
        } catch (DurableException e) {
            throw unreadable(message, String.valueOf(e.getMessage()), e);
        }
        if (!type.isInstance(event)) {
            throw unreadable(message, "it is a " + stored.type() + ", which no message of its kind is", null);
        }
        return type.cast(event);
    }

    static DurableException unreadable(InboxMessage message, String why, @Nullable Throwable cause) {
        return new DurableException(
                "message %s (%s) in the inbox can't be fed: %s".formatted(message.messageId(), message.name(), why),
                cause);
    }
}
