package dev.durable.client;

import dev.durable.internal.text.NamedValues;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One run in a listing.
 *
 * @param workflowId the business identity
 * @param runId the run
 * @param type the workflow type
 * @param status its state
 * @param taskQueue its task queue
 * @param startedAt when it was started
 * @param closedAt when it closed; null while open
 * @param memo notes given at the start
 */
public record WorkflowSummary(
        String workflowId,
        UUID runId,
        String type,
        WorkflowStatus status,
        String taskQueue,
        Instant startedAt,
        @Nullable Instant closedAt,
        Map<String, String> memo) {

    public WorkflowSummary {
        memo = NamedValues.copyOf(memo);
    }

    @Override
    public Map<String, String> memo() {
        return NamedValues.plain(memo);
    }
}
