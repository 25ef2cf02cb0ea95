package dev.durable.spring.event;

import java.time.Duration;
import java.util.UUID;

/**
 * Published after a run has completed.
 *
 * @param workflowId the business identity
 * @param runId which run
 * @param workflowType its type
 * @param duration from its start, delays included, to its end
 * @param schema the schema of its engine's tables; empty in memory
 */
public record WorkflowCompletedEvent(
        String workflowId, UUID runId, String workflowType, Duration duration, String schema) implements DurableEvent {}
