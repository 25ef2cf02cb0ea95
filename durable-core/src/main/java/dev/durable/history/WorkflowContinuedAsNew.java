package dev.durable.history;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The run closed by {@code Durable.continueAsNew}, or by a later start that takes its place before it has begun: another run
 * goes on under its workflow id, with a history of its own.
 *
 * @param id its place in the history
 * @param at when
 * @param nextRunId the run that goes on
 * @param workflowType its type
 * @param taskQueue its task queue
 * @param input the arguments of its run method, a JSON array
 * @param runTimeout how long it may take; null is unlimited
 * @param startDelay how long its first turn waits; null is not at all
 * @param byStart whether a debounced start has taken its place, so that no code of it has run
 * @param keepsBuild whether the build whose code continues it alone goes on with the next run
 */
public record WorkflowContinuedAsNew(
        long id,
        Instant at,
        UUID nextRunId,
        String workflowType,
        String taskQueue,
        Payload input,
        @Nullable Duration runTimeout,
        @Nullable Duration startDelay,
        boolean byStart,
        boolean keepsBuild)
        implements HistoryEvent.Closing {

    /** The end of a run whose code continues it. */
    public WorkflowContinuedAsNew(
            long id,
            Instant at,
            UUID nextRunId,
            String workflowType,
            String taskQueue,
            Payload input,
            @Nullable Duration runTimeout,
            @Nullable Duration startDelay) {
        this(id, at, nextRunId, workflowType, taskQueue, input, runTimeout, startDelay, false, false);
    }
}
