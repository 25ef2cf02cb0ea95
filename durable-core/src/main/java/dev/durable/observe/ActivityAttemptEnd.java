package dev.durable.observe;

import dev.durable.history.TimeoutType;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The end of an attempt of an activity.
 *
 * @param activity its name
 * @param taskQueue where it came from
 * @param workflowType the type of its run
 * @param workflowId the business identity of its run
 * @param runId its run
 * @param seq the activity's number in its run
 * @param attempt from 1
 * @param local whether it is a local activity, which has no job
 * @param outcome how it ended
 * @param timeout what it ran out of, whether or not another attempt follows; null where it did not time out
 * @param fingerprint the same for what failed alike; null where nothing failed
 * @param duration of its body, as far as it was waited for; null where it did not begin
 */
public record ActivityAttemptEnd(
        String activity,
        String taskQueue,
        String workflowType,
        String workflowId,
        UUID runId,
        int seq,
        int attempt,
        boolean local,
        Outcome outcome,
        @Nullable TimeoutType timeout,
        @Nullable String fingerprint,
        @Nullable Duration duration) {

    /** How an attempt ended. */
    public enum Outcome {
        COMPLETED,
        /** It failed or timed out, and another attempt follows. */
        RETRIED,
        /** It failed for good. */
        FAILED,
        /** It timed out for good. */
        TIMED_OUT,
        CANCELLED,
        /** Used up, and it ends as if it had returned null. */
        DISCARDED,
        /** Used up or not to be repeated, and it waits for an operator. */
        DEAD_LETTER,
        /** The attempts are used up, and it waits as an incident. */
        INCIDENT,
        /** Its worker shuts down, or the database was away: no attempt is used. */
        GIVEN_BACK,
        /** The body has returned; the holder of its token ends the activity. */
        LEFT_TO_TOKEN,
        /** This process can't read its job, which is left to others. */
        NOT_READ,
        /** Its lease was lost, so that its outcome is dropped. */
        STALE
    }
}
