package dev.durable.observe;

import java.time.Duration;
import java.util.UUID;

/**
 * The begin of an activity's body.
 *
 * @param activity its name
 * @param taskQueue where it came from
 * @param workflowType the type of its run
 * @param workflowId the business identity of its run
 * @param runId its run
 * @param attempt from 1
 * @param local whether it is a local activity, which has no job
 * @param waited from when it was scheduled, or a delayed background job was due, to this begin; includes earlier attempts
 *     where this is not the first
 */
public record ActivityAttemptBegin(
        String activity,
        String taskQueue,
        String workflowType,
        String workflowId,
        UUID runId,
        int attempt,
        boolean local,
        Duration waited) {}
