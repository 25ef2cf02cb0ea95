package dev.durable.internal.attempt;

import dev.durable.history.Failure;
import dev.durable.history.TimeoutType;
import dev.durable.store.JobUpdate;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The decision of {@link RetryRules} on an activity whose attempt did not succeed. {@link RetryRules} decides; who
 * had the attempt says it in its own words: a worker as {@link JobUpdate}, the holder of a token and the sweep as
 * {@link dev.durable.store.JobOrder}.
 */
sealed interface AttemptResult {

    /**
     * It failed, and the failure goes to its workflow.
     *
     * @param declared whether its code declares it, by {@code throws} or {@code doNotRetry}
     */
    record Failed(Failure failure, boolean declared) implements AttemptResult {
        Failed(Failure failure) {
            this(failure, false);
        }
    }

    /** It was asked to cancel and ended as cancelled. */
    record Cancelled() implements AttemptResult {}

    /** It was asked to cancel, and ran out of its time before it said that it had: nobody waits for it any longer. */
    record CancelledLate(Failure failure) implements AttemptResult {}

    /** It timed out, and the timeout goes to its workflow. */
    record TimedOut(TimeoutType timeout) implements AttemptResult {}

    /** This attempt failed, and schedule-to-close passes before another could begin. */
    record OutOfTime(String reason, Failure failure) implements AttemptResult {}

    /**
     * Used up, and it ends as if it had returned null.
     *
     * @param declared whether its code declares the failure
     */
    record Discarded(Failure failure, boolean declared) implements AttemptResult {}

    /**
     * Used up, and it stays until somebody says what becomes of it.
     *
     * @param incident an incident, else a dead letter
     */
    record Buried(boolean incident, String reason, Failure failure) implements AttemptResult {}

    /**
     * Another attempt follows.
     *
     * @param limited where the failure said how many may
     */
    record Again(
            String reason,
            Failure failure,
            Duration delay,
            @Nullable Limited limited) implements AttemptResult {

        /**
         * The limit, as it travels with the job.
         *
         * @param remainingAttempts how many may follow
         * @param options that say so
         */
        record Limited(int remainingAttempts, JobUpdate.NewOptions options) {}
    }

    /** Given back: no attempt is used. */
    record GivenBack(Duration delay) implements AttemptResult {}
}
