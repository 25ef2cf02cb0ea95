package dev.durable.store;

import dev.durable.client.WorkflowStatus;
import java.util.UUID;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The request to a store to close a run from outside, without running its code: to terminate the run, or because its
 * time is over. Any process may send it. The notes that the run's jobs carried, and the outcomes that wait, are written
 * before the closing event ({@link LeftJob}). A seizure that is sent again with the same newFence, after a COMMIT
 * without an answer, returns the run that it closed.
 *
 * @param workflowId the workflow id whose current run is meant
 * @param runId exactly this run; null is the current one
 * @param onlyIfDue only if the run would be listed as expired by the store's clock
 * @param newFence random
 * @param status how it closes
 * @param eventType type of the closing event
 * @param attributes its attributes, given the number of messages that were waiting and are dropped; must be pure
 * @param failure JSON text for the run's row; null without
 * @param actor the name of the operator whose action is to stand in the audit; null writes no row there
 */
public record Seizure(
        String workflowId,
        @Nullable UUID runId,
        boolean onlyIfDue,
        UUID newFence,
        WorkflowStatus status,
        String eventType,
        IntFunction<String> attributes,
        @Nullable String failure,
        @Nullable String actor) {
    /** The name of the action in the audit. */
    public static final String TERMINATE = "terminate run";

    /** A seizure without a row in the audit. */
    public Seizure(
            String workflowId,
            @Nullable UUID runId,
            boolean onlyIfDue,
            UUID newFence,
            WorkflowStatus status,
            String eventType,
            IntFunction<String> attributes,
            @Nullable String failure) {
        this(workflowId, runId, onlyIfDue, newFence, status, eventType, attributes, failure, null);
    }

    /** The id of its row in the audit. The row of a close without a history has the fence itself as its id. */
    public UUID auditId() {
        return new UUID(newFence.getMostSignificantBits(), ~newFence.getLeastSignificantBits());
    }

    @Override
    public String toString() {
        return "Seizure[" + workflowId + ", " + runId + ", " + status + ", " + eventType + "]";
    }
}
