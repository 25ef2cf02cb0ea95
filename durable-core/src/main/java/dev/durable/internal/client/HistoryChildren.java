package dev.durable.internal.client;

import dev.durable.ParentClosePolicy;
import dev.durable.history.CarriedChild;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.ChildStartWatched;
import dev.durable.history.ChildStarted;
import dev.durable.history.EventJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.WorkflowStarted;
import dev.durable.store.RunReset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The children that a part of a history has started, and the ends that it tells. */
final class HistoryChildren {
    private final Map<Long, Child> open = new LinkedHashMap<>();
    private final Map<Long, HistoryEvent.ChildClosed> ended = new HashMap<>();
    /** The numbers of the children whose start the code waits for. */
    private final Set<Long> watched = new HashSet<>();

    /** A child whose end the part of the history does not tell. */
    record Child(long number, String workflowId, UUID chain, ParentClosePolicy policy) {}

    void read(HistoryEvent event) {
        switch (event) {
            case WorkflowStarted e -> {
                if (e.chain() != null) {
                    e.chain().children().stream()
                            .filter(child -> child.end() == null)
                            .forEach(this::carry);
                }
            }
            case ChildStartRequested e ->
                open.put(
                        e.number(),
                        new Child(
                                e.number(),
                                e.workflowId(),
                                e.runId(),
                                e.options().parentClosePolicy()));
            case ChildStartWatched e -> watched.add(e.number());
            case ChildStarted e -> watched.remove(e.number());
            case HistoryEvent.ChildClosed e -> {
                open.remove(e.number());
                ended.put(e.number(), e);
            }
            case HistoryEvent.Inbound ignored -> {}
            case HistoryEvent.Command ignored -> {}
            case HistoryEvent.Informing ignored -> {}
            case HistoryEvent.Closing ignored -> {}
        }
    }

    private void carry(CarriedChild child) {
        open.put(
                child.number(),
                new Child(child.number(), child.workflowId(), child.runId(), child.parentClosePolicy()));
    }

    /** Returns the children that are open, in the order of their starts. */
    Collection<Child> open() {
        return open.values();
    }

    /** Returns the open child with this number; null without. */
    @Nullable
    Child known(long number) {
        return open.get(number);
    }

    /** Returns the open children for a reset at the end of this part; the part behind it may tell of their ends. */
    List<RunReset.Child> lookedUp(HistoryChildren behind) {
        List<RunReset.Child> all = new ArrayList<>();
        open.values()
                .forEach(child -> all.add(new RunReset.Child(
                        child.number(),
                        child.workflowId(),
                        child.chain(),
                        child.policy(),
                        watched.contains(child.number()),
                        outcome(behind.ended.get(child.number())))));
        return all;
    }

    private static @Nullable InboxMessage outcome(HistoryEvent.@Nullable ChildClosed event) {
        return event == null
                ? null
                : new InboxMessage(
                        event.messageId(),
                        MessageKind.CHILD_OUTCOME,
                        event.type(),
                        EventJson.attributes(event),
                        null,
                        null);
    }
}
