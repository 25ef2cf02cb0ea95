package dev.durable.store.memory;

import dev.durable.history.MessageKind;
import dev.durable.store.OutgoingMessage;
import dev.durable.store.Relayed;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.UUID;

/** The messages that runs have sent to other runs and that are not delivered yet, in the order of their commits. */
final class Outbox {
    private final SequencedMap<Long, Row> waiting = new LinkedHashMap<>();
    private long ordinal;

    /**
     * A message that waits.
     *
     * @param from the workflow id of the run that has sent it
     */
    record Row(OutgoingMessage sent, String from, Instant at) {}

    /** Delivers one message. */
    @FunctionalInterface
    interface Delivering {
        /** Returns whether the row need not wait any longer. */
        boolean isDone(Row row);
    }

    void add(OutgoingMessage sent, String from, Instant now) {
        waiting.put(++ordinal, new Row(sent, from, now));
    }

    /** Returns whether the order of this source to start a child waits. */
    boolean hasStart(UUID source, UUID child) {
        return waiting.values().stream()
                .anyMatch(row -> row.sent.source().equals(source)
                        && row.sent.message().kind() == MessageKind.CHILD_START
                        && child.equals(row.sent.chain()));
    }

    /** Takes back the messages of a source from this number on. */
    void takeBack(UUID source, long number) {
        waiting.values().removeIf(row -> row.sent.source().equals(source) && row.sent.number() >= number);
    }

    /** The time at which the oldest message was written; empty if none waits. */
    Optional<Instant> since() {
        return waiting.values().stream().map(Row::at).findFirst();
    }

    /**
     * Delivers messages in their order. One that its target can't take stays, with all later ones to that target; the order
     * of a parent that has ended, which is for its children, holds up no message to its workflow id. A delivery may add
     * rows, which wait for the next pass.
     */
    Relayed relay(int limit, Delivering delivering) {
        Set<String> stuck = new HashSet<>();
        int gone = 0;
        for (Map.Entry<Long, Row> entry : new LinkedHashMap<>(waiting).entrySet()) {
            if (gone == limit) {
                break;
            }
            Row row = entry.getValue();
            String target = row.sent.target();
            boolean ofEnd = row.sent.message().kind() == MessageKind.PARENT_CLOSED;
            if (!ofEnd && stuck.contains(target)) {
                continue;
            }
            if (delivering.isDone(row)) {
                waiting.remove(entry.getKey());
                gone++;
            } else if (!ofEnd) {
                stuck.add(target);
            }
        }
        return new Relayed(gone, 0, 0, gone == limit);
    }
}
