package dev.durable.internal.attempt;

import dev.durable.history.Failure;
import dev.durable.history.TimeoutType;
import dev.durable.store.JobUpdate;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The decision of {@link RetryRules} on an activity whose attempt did not succeed. A worker writes the decision as a
 * {@link JobUpdate}; the holder of a token and the sweep of timeouts write it as a {@link dev.durable.store.JobOrder}.
 */
sealed interface AttemptResult {

    /**
     * The activity failed, and the failure goes to its workflow.
     *
     * @param declared whether the activity's code declares the failure, by {@code throws} or {@code doNotRetry}
     */
    record Failed(Failure failure, boolean declared) implements AttemptResult {
        Failed(Failure failure) {
            this(failure, false);
        }
    }

    /** The activity was asked to cancel and ended as cancelled. */
    record Cancelled() implements AttemptResult {}

    /**
     * The activity was asked to cancel and ran out of its time before it answered: the workflow waits for it no longer.
     */
    record CancelledLate(Failure failure) implements AttemptResult {}

    /** The activity timed out, and the timeout goes to its workflow. */
    record TimedOut(TimeoutType timeout) implements AttemptResult {}

    /** This attempt failed, and schedule-to-close passes before another could begin. */
    record OutOfTime(String reason, Failure failure) implements AttemptResult {}

    /**
     * The attempts are used up, and the activity ends as if it had returned null.
     *
     * @param declared whether the activity's code declares the failure
     */
    record Discarded(Failure failure, boolean declared) implements AttemptResult {}

    /**
     * The attempts are used up, and the job stays until an operator resolves it.
     *
     * @param incident whether it is an incident rather than a dead letter
     */
    record Buried(boolean incident, String reason, Failure failure) implements AttemptResult {}

    /**
     * Another attempt follows.
     *
     * @param limited the limit of attempts, where the failure set one
     */
    record Again(
            String reason,
            Failure failure,
            Duration delay,
            @Nullable Limited limited) implements AttemptResult {

        /**
         * The limit of attempts that a failure set, as it travels with the job.
         *
         * @param remainingAttempts how many may follow
         * @param options the options that contain the limit
         */
        record Limited(int remainingAttempts, JobUpdate.NewOptions options) {}
    }

    /** The job is given back; no attempt is used. */
    record GivenBack(Duration delay) implements AttemptResult {}
}
