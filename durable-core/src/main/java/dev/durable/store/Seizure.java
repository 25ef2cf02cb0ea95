package dev.durable.store;

import dev.durable.client.WorkflowStatus;
import java.util.UUID;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Closes a run from outside, without running its code: terminate, and run timeout. Any process may. What its jobs
 * carried, and what outcomes that wait bring, is written before the closing event ({@link LeftJob}). Sent again with
 * the same newFence after a COMMIT without an answer, it gives the run that it closed.
 *
 * @param workflowId whose current run
 * @param runId exactly this run; null is the current one
 * @param onlyIfDue only if the run would be listed as expired by the store's clock
 * @param newFence random
 * @param status how it closes
 * @param eventType type of the closing event
 * @param attributes its attributes, given the number of messages that were waiting and are dropped; must be pure
 * @param failure JSON text for the run's row; null without
 */
public record Seizure(
        String workflowId,
        @Nullable UUID runId,
        boolean onlyIfDue,
        UUID newFence,
        WorkflowStatus status,
        String eventType,
        IntFunction<String> attributes,
        @Nullable String failure) {
    @Override
    public String toString() {
        return RecordText.of(this);
    }
}
