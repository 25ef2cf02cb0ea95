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
 * @param chain the runs that continue one another as new, and the attempts of a workflow, of which it is one; mostly the
 *     only one
 * @param details the line by which its code says what it is doing ({@link dev.durable.Durable#details}), as plain text;
 *     null without
 * @param build the build whose code has made its last turn ({@link DurableEngine.Builder#build}); null where its process
 *     named none, no turn is made yet, or the run has closed
 */
public record WorkflowSummary(
        String workflowId,
        UUID runId,
        String type,
        WorkflowStatus status,
        String taskQueue,
        Instant startedAt,
        @Nullable Instant closedAt,
        Map<String, String> memo,
        Chain chain,
        @Nullable String details,
        @Nullable String build) {

    /**
     * The place of a run in its chain.
     *
     * @param firstRunId the first run, whose id is the id of the chain
     * @param previousRunId the run that this one continues; null for the first
     * @param nextRunId the run that continues this one, or the next attempt of a failed one; null for the last
     * @param attempt its number among the attempts of a workflow with a retry policy, from 1; 1 without a policy
     */
    public record Chain(
            UUID firstRunId,
            @Nullable UUID previousRunId,
            @Nullable UUID nextRunId,
            int attempt) {}

    public WorkflowSummary {
        memo = NamedValues.copyOf(memo);
    }

    @Override
    public Map<String, String> memo() {
        return NamedValues.plain(memo);
    }

    /** Without the details, which may name persons, as this is logged. */
    @Override
    public String toString() {
        return "WorkflowSummary[workflowId=" + workflowId + ", runId=" + runId + ", type=" + type + ", status=" + status
                + ", taskQueue=" + taskQueue + ", startedAt=" + startedAt + ", closedAt=" + closedAt + ", memo=" + memo
                + ", chain=" + chain + ", build=" + build + "]";
    }
}
