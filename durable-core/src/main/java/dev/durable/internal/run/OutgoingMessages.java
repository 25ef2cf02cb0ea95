package dev.durable.internal.run;

import dev.durable.history.EventJson;
import dev.durable.history.ExternalCancelRequested;
import dev.durable.history.ExternalSignalRequested;
import dev.durable.history.MessageKind;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.store.OutgoingMessage;
import dev.durable.store.RunKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The messages that the code of a run has sent to workflows in the turns of a draft, in their order. */
final class OutgoingMessages {
    /** The store replaces the id by one that follows from source and number. */
    private static final UUID NO_ID = new UUID(0, 0);

    private final RunKey run;
    private final UUID chainId;
    private final List<OutgoingMessage> sent = new ArrayList<>(0);
    private boolean toItself;

    /** @param chainId the chain of the run, which is the source of its messages */
    OutgoingMessages(RunKey run, UUID chainId) {
        this.chainId = chainId;
        this.run = run;
    }

    void add(ExternalSignalRequested request) {
        add(
                request.number(),
                request.workflowId(),
                MessageKind.SIGNAL,
                request.signal(),
                request.input().json());
    }

    void add(ExternalCancelRequested request) {
        WorkflowCancelRequested received =
                new WorkflowCancelRequested(1, Instant.EPOCH, NO_ID, request.reason(), "workflow " + run.workflowId());
        add(
                request.number(),
                request.workflowId(),
                MessageKind.CANCEL,
                received.type(),
                EventJson.attributes(received));
    }

    private void add(long number, String target, MessageKind kind, String name, String payload) {
        OutgoingMessage message = OutgoingMessage.of(chainId, number, target, kind, name, payload);
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

    boolean isEmpty() {
        return sent.isEmpty();
    }

    /** Returns whether one of them is for the workflow id of the run itself. */
    boolean isAnyToItself() {
        return toItself;
    }
}
