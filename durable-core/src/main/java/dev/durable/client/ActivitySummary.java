package dev.durable.client;

import dev.durable.ActivityOptions;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An activity that has not ended, as a listing shows it.
 *
 * @param workflowId the workflow id of the run that scheduled it
 * @param runId that run
 * @param workflowType its type
 * @param seq the activity's number in its run
 * @param activity its name
 * @param taskQueue where it is claimed
 * @param state where it stands
 * @param paused whether no further attempt begins until it is resumed
 * @param cancelRequested whether its workflow wants it to stop
 * @param attempt the current or next attempt, from 1
 * @param crashes how often its worker died
 * @param options its options now
 * @param scheduledAt when its workflow scheduled it; of a background job that was delayed, the end of its delay
 * @param startedAt since when the current attempt runs; null when none does
 * @param nextAttemptAt when its next attempt may begin, where that was or is ahead
 * @param session the worker process that runs it; null when none does
 * @param worker how people call that process
 * @param lastFailure message of the last failed attempt, or why a worker could not read it
 * @param heartbeatDetails last accepted details, as JSON
 */
public record ActivitySummary(
        String workflowId,
        UUID runId,
        String workflowType,
        int seq,
        String activity,
        String taskQueue,
        ActivityState state,
        boolean paused,
        boolean cancelRequested,
        int attempt,
        int crashes,
        ActivityOptions options,
        Instant scheduledAt,
        @Nullable Instant startedAt,
        @Nullable Instant nextAttemptAt,
        @Nullable UUID session,
        @Nullable String worker,
        @Nullable String lastFailure,
        @Nullable String heartbeatDetails) {
    @Override
    public String toString() {
        return "ActivitySummary[" + workflowId + ", " + seq + ", " + activity + ", " + state + ", attempt=" + attempt
                + "]";
    }
}
