package dev.durable.spring.event;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An attempt of an activity failed or timed out, and another follows.
 *
 * @param workflowId the business identity of its run
 * @param runId its run
 * @param workflowType the run's type
 * @param activity its name
 * @param seq its number in the run
 * @param attempt the one that failed, from 1
 * @param fingerprint the same for what failed alike
 * @param schema the schema of its engine's tables; empty in memory
 */
public record ActivityRetryingEvent(
        String workflowId,
        UUID runId,
        String workflowType,
        String activity,
        int seq,
        int attempt,
        @Nullable String fingerprint,
        String schema)
        implements DurableEvent {}
