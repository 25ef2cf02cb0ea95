package dev.durable.spring.event;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The last attempt of an activity failed in this process, and it waits for an operator as a dead letter. An activity
 * that became a dead letter otherwise, by a timeout while no worker ran it or by the death of its workers, is reported
 * by {@link AlertEvent} only.
 *
 * @param workflowId the business identity of its run
 * @param runId its run
 * @param workflowType the run's type
 * @param activity its name
 * @param seq its number in the run
 * @param attempt the last one, from 1
 * @param fingerprint the same for what failed alike
 * @param schema the schema of its engine's tables; empty in memory
 */
public record DeadLetterEvent(
        String workflowId,
        UUID runId,
        String workflowType,
        String activity,
        int seq,
        int attempt,
        @Nullable String fingerprint,
        String schema)
        implements DurableEvent {}
