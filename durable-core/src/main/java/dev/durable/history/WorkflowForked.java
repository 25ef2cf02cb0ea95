package dev.durable.history;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The run was forked from another one: the events in front of this one are copies of that run's first events. The code
 * of the run is replayed up to here with the identity and the random numbers of the run in which those events happened,
 * and has its own from here on. The event belongs to no turn, but a process that does not know it can't replay the
 * history.
 *
 * @param id its place in the history: one behind the last event that was copied
 * @param at when
 * @param fromRunId the run that was forked
 * @param workflowId the business identity of this run
 * @param runId this run
 * @param runDeadline when this run times out; null is never
 * @param executionDeadline when the chain that begins with this run times out; null is never
 * @param by the name of the operator or process that has forked it
 * @param chain where the fork has taken the place of the run under its workflow id: its place in the chain of that run,
 *     with the counts that the run had reached; null for a fork under another workflow id, which begins a chain
 * @param reason why, as the caller said; null where it said nothing
 */
public record WorkflowForked(
        long id,
        Instant at,
        UUID fromRunId,
        String workflowId,
        UUID runId,
        @Nullable Instant runDeadline,
        @Nullable Instant executionDeadline,
        String by,
        @Nullable ChainLink chain,
        @Nullable String reason)
        implements HistoryEvent.Informing {

    /** Returns the id of the chain of the fork: the run id of its first run. */
    public UUID chainId() {
        return chain == null ? runId : chain.firstRunId();
    }

    @Override
    public boolean mayBeIgnored() {
        return false;
    }
}
