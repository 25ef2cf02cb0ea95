package dev.durable;

import dev.durable.history.Failure;
import dev.durable.internal.text.NamedValues;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The identity of the current run, as workflow code sees it; the same live and on replay.
 *
 * @param workflowId the business identity
 * @param runId this run
 * @param type the workflow type
 * @param taskQueue its task queue
 * @param startedAt when it was started
 * @param historyLength events in its history up to the one being processed
 * @param headers headers given at the start
 * @param firstRunId the first of the runs that continue one another as new, of which this is one; mostly this run
 * @param continuedFrom the run before in its chain: the one that this one continues as new, or the failed attempt
 *     before; empty for the first
 * @param continueAsNewSuggested why {@link Durable#continueAsNew} should be called soon; empty while it need not
 * @param parent the workflow that started it as its child; null where none did
 * @param root the workflow at the top of its tree: itself, where no workflow started it
 * @param attempt its number among the attempts of a workflow with a retry policy, from 1; 1 without a policy
 * @param lastFailure the failure of the attempt before; empty for the first
 * @param update the update whose handler asks, or its validator, or a coroutine that the handler has started while the
 *     handler runs; empty elsewhere
 */
public record WorkflowInfo(
        String workflowId,
        UUID runId,
        String type,
        String taskQueue,
        Instant startedAt,
        long historyLength,
        Map<String, String> headers,
        UUID firstRunId,
        Optional<UUID> continuedFrom,
        Set<ContinueAsNewReason> continueAsNewSuggested,
        @Nullable Relative parent,
        Relative root,
        int attempt,
        Optional<Failure> lastFailure,
        Optional<HandledUpdate> update) {

    /**
     * A workflow of the same tree.
     *
     * @param workflowId its workflow id
     * @param runId its run, the first one where it has continued as new
     */
    public record Relative(String workflowId, UUID runId) {}

    /**
     * An update that was sent to the run.
     *
     * @param id its id, which the caller has given or which was drawn for it; the same for every resend of the call
     * @param name its name
     */
    public record HandledUpdate(String id, String name) {}

    public WorkflowInfo {
        headers = NamedValues.copyOf(headers);
        continueAsNewSuggested = Set.copyOf(continueAsNewSuggested);
    }

    /** Returns whether the history has grown so long that the run should continue as new. */
    public boolean shouldContinueAsNew() {
        return !continueAsNewSuggested.isEmpty();
    }

    @Override
    public Map<String, String> headers() {
        return NamedValues.plain(headers);
    }
}
