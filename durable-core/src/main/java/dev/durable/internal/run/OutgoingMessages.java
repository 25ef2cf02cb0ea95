package dev.durable.internal.run;

import dev.durable.history.CallbackTimedOut;
import dev.durable.history.ChildCancelRequested;
import dev.durable.history.ChildSignalRequested;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.ChildStartWatched;
import dev.durable.history.ChildStarted;
import dev.durable.history.EventJson;
import dev.durable.history.ExternalCancelRequested;
import dev.durable.history.ExternalSignalRequested;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.ParentRun;
import dev.durable.history.SignalReceived;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.replay.WorkflowInstance;
import dev.durable.internal.replay.call.ChildAddress;
import dev.durable.store.CallbackState;
import dev.durable.store.ChildStart;
import dev.durable.store.OutgoingMessage;
import dev.durable.store.RunKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The messages that the code of a run has sent to workflows in the turns of a draft, in their order. */
final class OutgoingMessages {
    /** The store replaces the id by one that follows from source and number. */
    private static final UUID NO_ID = new UUID(0, 0);

    private final RunKey run;
    private final UUID chainId;
    private final Supplier<WorkflowInstance> sender;
    private final @Nullable RunInterception interception;
    private final List<OutgoingMessage> sent = new ArrayList<>(0);
    private boolean toItself;

    /**
     * @param chainId the chain of the run, which is the source of its messages and the parent of its children
     * @param sender gives the instance of the run, whose first event the children of the run need
     * @param interception has the headers of children as interceptors have changed them; null without interceptors
     */
    OutgoingMessages(
            RunKey run, UUID chainId, Supplier<WorkflowInstance> sender, @Nullable RunInterception interception) {
        this.chainId = chainId;
        this.run = run;
        this.sender = sender;
        this.interception = interception;
    }

    void add(ExternalSignalRequested request) {
        add(
                request.number(),
                request.workflowId(),
                null,
                MessageKind.SIGNAL,
                request.signal(),
                request.input().json());
    }

    void add(ExternalCancelRequested request) {
        addCancel(request.number(), request.workflowId(), null, request.reason());
    }

    void add(ChildStartRequested request) {
        WorkflowStarted parent = sender.get().started();
        ParentRun above = parent.parent();
        ParentRun lineage = new ParentRun(
                run.workflowId(),
                chainId,
                request.number(),
                above == null ? 1 : above.depth() + 1,
                above == null ? run.workflowId() : above.rootWorkflowId(),
                above == null ? chainId : above.rootChain());
        ChildStart start = new ChildStart(
                request.runId(),
                request.workflowType(),
                request.taskQueue(),
                request.input(),
                request.options().headers(headers(parent, request)),
                lineage,
                request.retry());
        add(
                request.message(),
                request.workflowId(),
                request.runId(),
                MessageKind.CHILD_START,
                request.workflowType(),
                start.json());
    }

    /** Returns the headers of the parent with those of the options over them, or both as interceptors have changed them. */
    private Map<String, String> headers(WorkflowStarted parent, ChildStartRequested request) {
        Map<String, String> intercepted =
                interception == null ? null : interception.takeHeadersOfChild(request.number());
        if (intercepted != null) {
            return intercepted;
        }
        Map<String, String> headers = new LinkedHashMap<>(parent.headers());
        headers.putAll(request.options().headers());
        return headers;
    }

    void add(ChildCancelRequested request) {
        ChildAddress child = child(request.number());
        if (request.terminate()) {
            add(request.message(), child.workflowId(), child.chain(), MessageKind.CHILD_TERMINATE, "Terminate", "{}");
        } else {
            addCancel(request.message(), child.workflowId(), child.chain(), request.reason());
        }
    }

    void add(ChildSignalRequested request) {
        ChildAddress child = child(request.number());
        add(
                request.message(),
                child.workflowId(),
                child.chain(),
                MessageKind.SIGNAL,
                request.signal(),
                request.input().json());
    }

    void add(ChildStartWatched request) {
        ChildAddress child = child(request.number());
        add(
                request.message(),
                child.workflowId(),
                child.chain(),
                MessageKind.CHILD_WATCH,
                "Watch",
                EventJson.attributes(new ChildStarted(1, Instant.EPOCH, request.number(), NO_ID)));
    }

    /** Adds the timeout of a callback, which the run's own inbox takes in unless it has an outcome of the callback. */
    void addTimeout(UUID callback) {
        sent.add(new OutgoingMessage(
                chainId,
                0,
                run.workflowId(),
                null,
                CallbackState.message(new CallbackTimedOut(1, Instant.EPOCH, callback))));
        toItself = true;
    }

    private ChildAddress child(long number) {
        return sender.get().child(number);
    }

    private void addCancel(long number, String target, @Nullable UUID chain, String reason) {
        WorkflowCancelRequested received =
                new WorkflowCancelRequested(1, Instant.EPOCH, NO_ID, reason, "workflow " + run.workflowId());
        add(number, target, chain, MessageKind.CANCEL, received.type(), EventJson.attributes(received));
    }

    private void add(long number, String target, @Nullable UUID chain, MessageKind kind, String name, String payload) {
        OutgoingMessage message = OutgoingMessage.toChain(chainId, number, target, chain, kind, name, payload);
        toItself |= message.isTo(run);
        sent.add(message);
    }

    /** Returns the source of the messages. */
    UUID chainId() {
        return chainId;
    }

    List<OutgoingMessage> all() {
        return sent;
    }

    /**
     * Returns the messages with these signals behind them, which the run was fed and the next attempt is given: in the
     * order in which they were accepted, before all that waits, and with ids that follow from those of the first
     * delivery.
     */
    List<OutgoingMessage> allAndAgain(List<SignalReceived> signals) {
        return Stream.concat(sent.stream(), signals.stream().map(this::again)).toList();
    }

    private OutgoingMessage again(SignalReceived signal) {
        Instant accepted = signal.acceptedAt() == null ? signal.at() : signal.acceptedAt();
        InboxMessage message = new InboxMessage(
                OutgoingMessage.messageId(signal.messageId(), signal.id()),
                MessageKind.SIGNAL,
                signal.name(),
                signal.input().json(),
                null,
                accepted);
        return new OutgoingMessage(chainId, 0, run.workflowId(), null, message);
    }

    boolean isEmpty() {
        return sent.isEmpty();
    }

    /** Returns whether one of them is for the workflow id of the run itself. */
    boolean isAnyToItself() {
        return toItself;
    }
}
