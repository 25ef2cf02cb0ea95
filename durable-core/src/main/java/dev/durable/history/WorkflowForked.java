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
 */
public record WorkflowForked(
        long id,
        Instant at,
        UUID fromRunId,
        String workflowId,
        UUID runId,
        @Nullable Instant runDeadline,
        @Nullable Instant executionDeadline,
        String by)
        implements HistoryEvent.Informing {
    @Override
    public boolean mayBeIgnored() {
        return false;
    }
}
