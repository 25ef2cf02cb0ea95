package dev.durable.history;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message in the inbox of a run: a signal, an update, a request to cancel, or the outcome of an activity. Order within an inbox:
 * (at, ord).
 *
 * @param messageId made by the sender; inserted at most once
 * @param kind its kind
 * @param name name of the signal or update, or the outcome's event type
 * @param payload JSON text: a signal's arguments, an outcome's event attributes, a cancel's reason and actor, an
 *     update's id and arguments
 * @param notes the informing events that precede the outcome in the history, a JSON array of {type, at, attributes};
 *     null without
 * @param at when the store accepted it, also of a signal that an attempt of a workflow hands on to the next; null while
 *     it is sent
 */
public record InboxMessage(
        UUID messageId,
        MessageKind kind,
        String name,
        String payload,
        @Nullable String notes,
        @Nullable Instant at) {

    public InboxMessage with(@Nullable String otherNotes) {
        return new InboxMessage(messageId, kind, name, payload, otherNotes, at);
    }

    @Override
    public String toString() {
        return "InboxMessage[" + messageId + ", " + kind + ", " + name + ", " + payload.length() + " characters]";
    }
}
