package dev.durable;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The identity of the current attempt of an activity: its run, number, attempt, deadline and idempotency key.
 *
 * @param workflowId the workflow id of the run that scheduled it
 * @param runId that run
 * @param workflowType its type
 * @param activity the activity's name, {@code Payments.charge}
 * @param seq the activity's number in its run
 * @param attempt from 1
 * @param maxAttempts of its retry policy; 0 is unlimited
 * @param scheduledAt when the workflow scheduled it; of a background job that was delayed, the end of its delay
 * @param deadline when this attempt times out, by the database's clock as this process estimates it; it moves with
 *     {@link ActivityContext#updateTimeout}
 * @param taskQueue the queue of its job
 * @param idempotencyKey stable over all attempts of this activity: what to hand to a payment provider. An activity that
 *     was open when its run was forked has the same key in both runs
 */
public record ActivityInfo(
        String workflowId,
        UUID runId,
        String workflowType,
        String activity,
        int seq,
        int attempt,
        int maxAttempts,
        Instant scheduledAt,
        @Nullable Instant deadline,
        String taskQueue,
        String idempotencyKey) {

    /** Returns whether this attempt is the last that the policy allows. */
    public boolean isLastAttempt() {
        return maxAttempts != 0 && attempt >= maxAttempts;
    }
}
