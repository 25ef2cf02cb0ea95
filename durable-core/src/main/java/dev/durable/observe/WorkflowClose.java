package dev.durable.observe;

import dev.durable.client.WorkflowStatus;
import java.time.Duration;
import java.util.UUID;

/**
 * The end of a run.
 *
 * @param workflowType the type; {@code durable.job} for background jobs
 * @param workflowId the business identity
 * @param runId which run
 * @param status how it closed
 * @param retried whether it has failed and another attempt follows, so that its workflow goes on
 * @param duration from its start, delays included, to the commit that closed it
 */
public record WorkflowClose(
        String workflowType,
        String workflowId,
        UUID runId,
        WorkflowStatus status,
        boolean retried,
        Duration duration) {}
