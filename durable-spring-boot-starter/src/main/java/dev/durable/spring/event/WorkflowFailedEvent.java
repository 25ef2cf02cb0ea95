package dev.durable.spring.event;

import dev.durable.client.WorkflowStatus;
import java.time.Duration;
import java.util.UUID;

/**
 * Published after a run has closed without a result.
 *
 * @param workflowId the business identity
 * @param runId which run
 * @param workflowType its type
 * @param status how: failed, timed out, cancelled or terminated
 * @param duration from its start, delays included, to its end
 * @param schema the schema of its engine's tables; empty in memory
 */
public record WorkflowFailedEvent(
        String workflowId, UUID runId, String workflowType, WorkflowStatus status, Duration duration, String schema)
        implements DurableEvent {}
