package dev.durable.store.memory;

import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The messages that wait for one run, ordered by (at, ord), each message id once. */
final class Inbox {
    private final Map<UUID, InboxMessage> waiting = new LinkedHashMap<>();
    /** The bytes and the number of the messages that count for the limit. */
    private long bytes;

    private int counted;

    /** Takes the message, unless it waits already. */
    void add(InboxMessage sent, Instant at) {
        InboxMessage message =
                new InboxMessage(sent.messageId(), sent.kind(), sent.name(), sent.payload(), sent.notes(), at);
        if (waiting.putIfAbsent(message.messageId(), message) == null
                && message.kind().countsForLimit()) {
            bytes += message.payload().length();
            counted++;
        }
    }

    boolean contains(UUID messageId) {
        return waiting.containsKey(messageId);
    }

    @Nullable
    InboxMessage waiting(UUID messageId) {
        return waiting.get(messageId);
    }

    /** Returns whether a message waits that is not among these and with which a run does not close. */
    boolean refusesClose(Collection<UUID> consumed) {
        Set<UUID> known = Set.copyOf(consumed);
        return waiting.values().stream()
                .anyMatch(message -> message.kind().refusesClose() && !known.contains(message.messageId()));
    }

    /** Returns whether a request to cancel waits. */
    boolean hasCancel() {
        return waiting.values().stream().anyMatch(message -> message.kind() == MessageKind.CANCEL);
    }

    void removeAll(Collection<UUID> messageIds) {
        for (UUID messageId : messageIds) {
            InboxMessage gone = waiting.remove(messageId);
            if (gone != null && gone.kind().countsForLimit()) {
                bytes -= gone.payload().length();
                counted--;
            }
        }
    }

    void clear() {
        waiting.clear();
        bytes = 0;
        counted = 0;
    }

    /** The bytes of the payloads that wait. */
    long bytes() {
        return bytes;
    }

    /** The number of messages that count for the limit. */
    int size() {
        return counted;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    List<InboxMessage> first(int limit) {
        return waiting.values().stream().limit(limit).toList();
    }

    /** The messages that people and workflows have sent; outcomes of activities are none. */
    List<InboxMessage> ofSenders() {
        return waiting.values().stream()
                .filter(message -> message.kind() != MessageKind.ACTIVITY_OUTCOME)
                .toList();
    }

    /** Takes in the messages that waited for the run before, with their times. */
    void moveHere(List<InboxMessage> messages) {
        messages.forEach(message -> add(message, Objects.requireNonNull(message.at())));
    }

    /** The time since which a message waits. */
    @Nullable
    Instant waitingSince() {
        return waiting.isEmpty() ? null : waiting.values().iterator().next().at();
    }
}
