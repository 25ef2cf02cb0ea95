package dev.durable.spring.event;

import java.util.UUID;

/**
 * A run can't go on with the code of this process; it stays open and is tried again.
 *
 * @param workflowId the business identity
 * @param runId which run
 * @param workflowType its type; empty where it is not known
 * @param reason as people are shown it: how code and history differ, or what can't be read
 * @param schema the schema of its engine's tables; empty in memory
 */
public record WorkflowStalledEvent(String workflowId, UUID runId, String workflowType, String reason, String schema)
        implements DurableEvent {}
