package dev.durable.store;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.FailureJson;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.history.WorkflowTerminated;
import java.time.Instant;
import java.util.UUID;

/**
 * The writes by which a store ends the children of a parent that has ended, or that undoes its work: each by its
 * parent-close policy. The order to do so is a row of the outbox ({@link #order}) that stands until no child is left.
 */
public final class ParentClosed {
    /** The number of the order in the outbox, behind all messages of the parent's code. */
    public static final long NUMBER = Long.MAX_VALUE - 1;

    /** The reason for which a child is terminated with its parent. */
    public static final String ENDED = "its parent has ended";

    /** The reason for which a child is ended before the compensations of its parent. */
    public static final String UNDONE = "its parent is being undone";

    private ParentClosed() {}

    /** Returns the order to apply the policies of the open children of this chain. */
    public static OutgoingMessage order(UUID chain, String workflowId) {
        return OutgoingMessage.toChain(
                chain, NUMBER, workflowId, chain, MessageKind.PARENT_CLOSED, "ParentClosed", "{}");
    }

    /**
     * Returns the seizure that terminates a child.
     *
     * @param parent the workflow id of the parent
     * @param reason {@link #ENDED} or {@link #UNDONE}
     * @param fence random
     */
    public static Seizure terminate(String child, UUID run, String parent, String reason, UUID fence) {
        return ordered(new RunKey(run, child), "workflow " + parent, reason, fence);
    }

    /**
     * Returns the seizure that terminates a run whose end stands in an outbox as an order.
     *
     * @param by the name that gave the order
     * @param fence random
     */
    public static Seizure ordered(RunKey run, String by, String reason, UUID fence) {
        return new Seizure(
                run.workflowId(),
                run.runId(),
                false,
                fence,
                WorkflowStatus.TERMINATED,
                WorkflowTerminated.class.getSimpleName(),
                dropped -> EventJson.attributes(new WorkflowTerminated(1, Instant.EPOCH, reason, by, dropped)),
                FailureJson.encode(Failure.of("dev.durable.Terminated", reason)).json());
    }

    /**
     * Returns the request to cancel a child, with an id that follows from its run.
     *
     * @param run the child's open run
     * @param parent the workflow id of the parent
     */
    public static InboxMessage cancel(UUID run, String parent) {
        UUID id = new UUID(run.getMostSignificantBits(), ~run.getLeastSignificantBits());
        WorkflowCancelRequested request =
                new WorkflowCancelRequested(1, Instant.EPOCH, id, ENDED, "workflow " + parent);
        return new InboxMessage(id, MessageKind.CANCEL, request.type(), EventJson.attributes(request), null, null);
    }
}
