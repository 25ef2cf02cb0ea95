package dev.durable.store;

import dev.durable.client.WorkflowStatus;
import java.util.UUID;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The request to a store to close a run from outside, without running its code: to terminate the run, or because its
 * time is over. Any process may send it. What the run's jobs carried, and what outcomes that wait bring, is written
 * before the closing event ({@link LeftJob}). A seizure that is sent again with the same newFence, after a COMMIT
 * without an answer, gives the run that it closed.
 *
 * @param workflowId whose current run
 * @param runId exactly this run; null is the current one
 * @param onlyIfDue only if the run would be listed as expired by the store's clock
 * @param newFence random
 * @param status how it closes
 * @param eventType type of the closing event
 * @param attributes its attributes, given the number of messages that were waiting and are dropped; must be pure
 * @param failure JSON text for the run's row; null without
 * @param actor who ends it, where that is an operator whose action stands in the audit; null is without a row there
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
    /** As the audit calls it. */
    public static final String TERMINATE = "terminate run";

    /** One that the audit does not have. */
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

    /** The id of its row in the audit; the fence itself is that of the row for a history that is gone. */
    public UUID auditId() {
        return new UUID(newFence.getMostSignificantBits(), ~newFence.getLeastSignificantBits());
    }

    @Override
    public String toString() {
        return "Seizure[" + workflowId + ", " + runId + ", " + status + ", " + eventType + "]";
    }
}
