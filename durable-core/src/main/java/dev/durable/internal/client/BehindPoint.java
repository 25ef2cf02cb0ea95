package dev.durable.internal.client;

import dev.durable.ParentClosePolicy;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.CallbackCompleted;
import dev.durable.history.ChainLink;
import dev.durable.history.ChildCancelRequested;
import dev.durable.history.ChildSignalRequested;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.ChildStartWatched;
import dev.durable.history.ExternalCancelRequested;
import dev.durable.history.ExternalSignalRequested;
import dev.durable.history.HistoryEvent;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.SignalReceived;
import dev.durable.history.UpdateAccepted;
import dev.durable.history.UpdateCompleted;
import dev.durable.history.UpdateFailed;
import dev.durable.history.WorkflowForked;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.client.access.Messages;
import dev.durable.store.OutgoingMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a history has behind the event at which its run is reset, and the numbers that the runs of its chain have given to
 * messages and children: a fork in the same chain goes on behind them.
 */
final class BehindPoint {
    /** The name of the orders, by which they differ from those of workflow code. */
    private static final String ORDER = "Reset";

    private final HistoryChildren children = new HistoryChildren();
    private final Map<Integer, ActivityCompleted> completed = new HashMap<>();
    private final Map<UUID, CallbackCompleted> callbacks = new HashMap<>();
    /** The signals and updates as messages, in the order in which the run was fed. */
    private final List<Heard> heard = new ArrayList<>();

    private final Set<String> answered = new HashSet<>();
    private boolean closed;
    private long messages;
    private long lastChild;

    /**
     * A signal or update as a message.
     *
     * @param updateId null for a signal
     */
    private record Heard(@Nullable String updateId, Supplier<InboxMessage> message) {}

    /** @param isBehind whether the event is one of those that are not copied */
    void read(HistoryEvent event, boolean isBehind) {
        count(event);
        if (isBehind) {
            children.read(event);
            if (event instanceof ActivityCompleted end && end.local() == null) {
                completed.put(end.seq(), end);
            } else if (event instanceof CallbackCompleted end) {
                callbacks.put(end.callback(), end);
            }
            hear(event);
        }
    }

    /** Returns the event by which the activity completed; null where it did not, or was a local one. */
    @Nullable
    ActivityCompleted completed(int seq) {
        return completed.get(seq);
    }

    /** Returns the event by which the callback completed; null where it did not. */
    @Nullable
    CallbackCompleted completed(UUID callback) {
        return callbacks.get(callback);
    }

    private void hear(HistoryEvent event) {
        switch (event) {
            case SignalReceived e -> heard.add(new Heard(null, () -> again(e)));
            case UpdateAccepted e -> heard.add(new Heard(e.updateId(), () -> again(e)));
            case UpdateCompleted e -> answered.add(e.updateId());
            case UpdateFailed e -> answered.add(e.updateId());
            case HistoryEvent.Inbound ignored -> {}
            case HistoryEvent.Command ignored -> {}
            case HistoryEvent.Informing ignored -> {}
            case HistoryEvent.Closing ignored -> closed = true;
        }
    }

    /**
     * Returns the signals and updates that the run was fed behind the point, in the order in which they were accepted, as
     * messages with ids that follow from those of the first delivery.
     *
     * @param all false leaves only the updates that an open run has accepted and not answered, whose callers wait; those
     *     of a closed run have been told that it ended before it answered
     */
    List<InboxMessage> again(boolean all) {
        return heard.stream()
                .filter(message -> all || isWaitedFor(message))
                .map(message -> message.message().get())
                .sorted(Comparator.comparing(message -> Objects.requireNonNull(message.at())))
                .toList();
    }

    private boolean isWaitedFor(Heard message) {
        return !closed && message.updateId() != null && !answered.contains(message.updateId());
    }

    private static InboxMessage again(SignalReceived signal) {
        return new InboxMessage(
                OutgoingMessage.messageId(signal.messageId(), signal.id()),
                MessageKind.SIGNAL,
                signal.name(),
                signal.input().json(),
                null,
                signal.acceptedAt() == null ? signal.at() : signal.acceptedAt());
    }

    /** An update that has its answer already gets an id of its own, as an update id is answered once in a chain. */
    private InboxMessage again(UpdateAccepted update) {
        UUID id = OutgoingMessage.messageId(update.messageId(), update.id());
        String updateId = answered.contains(update.updateId()) ? id.toString() : update.updateId();
        InboxMessage message =
                Messages.update(new UpdateAccepted(1, Instant.EPOCH, id, updateId, update.name(), update.input()));
        return new InboxMessage(
                id,
                message.kind(),
                message.name(),
                message.payload(),
                null,
                update.acceptedAt() == null ? update.at() : update.acceptedAt());
    }

    private void count(HistoryEvent event) {
        switch (event) {
            case WorkflowStarted e -> goOn(e.chain());
            case WorkflowForked e -> goOn(e.chain());
            case ExternalSignalRequested e -> gave(e.number());
            case ExternalCancelRequested e -> gave(e.number());
            case ChildStartRequested e -> {
                gave(e.message());
                lastChild = Math.max(lastChild, e.number());
            }
            case ChildStartWatched e -> gave(e.message());
            case ChildSignalRequested e -> gave(e.message());
            case ChildCancelRequested e -> gave(e.message());
            case HistoryEvent.Command ignored -> {}
            case HistoryEvent.Inbound ignored -> {}
            case HistoryEvent.Informing ignored -> {}
            case HistoryEvent.Closing ignored -> {}
        }
    }

    private void goOn(@Nullable ChainLink link) {
        if (link != null) {
            gave(link.messagesSent());
            lastChild = Math.max(lastChild, link.childrenStarted());
        }
    }

    private void gave(long message) {
        messages = Math.max(messages, message);
    }

    HistoryChildren children() {
        return children;
    }

    /**
     * Returns the orders to terminate the children that began behind the point, but those that don't depend on their
     * parent.
     */
    List<OutgoingMessage> terminations(UUID chain) {
        List<OutgoingMessage> orders = new ArrayList<>();
        children.open().stream()
                .filter(child -> child.policy() != ParentClosePolicy.ABANDON)
                .forEach(child -> orders.add(OutgoingMessage.toChain(
                        chain,
                        messages + orders.size() + 1,
                        child.workflowId(),
                        child.chain(),
                        MessageKind.CHILD_TERMINATE,
                        ORDER,
                        "{}")));
        return orders;
    }

    /** Returns the place of the fork in the chain. */
    ChainLink link(UUID chain, UUID replaced, int orders) {
        return new ChainLink(chain, replaced, messages + orders, lastChild, List.of());
    }
}
