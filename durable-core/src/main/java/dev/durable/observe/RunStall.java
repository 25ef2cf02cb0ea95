package dev.durable.observe;

import java.util.UUID;

/**
 * A run that can't go on for now.
 *
 * @param workflowType the type; empty where it is not known yet
 * @param workflowId the business identity
 * @param runId which run
 * @param reason as it is shown to people: how code and history differ, or what can't be read
 */
public record RunStall(String workflowType, String workflowId, UUID runId, String reason) {}
