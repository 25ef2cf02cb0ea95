package dev.durable.worker;

import dev.durable.history.Failure;
import dev.durable.history.TimeoutType;
import dev.durable.store.JobUpdate;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of an activity whose attempt did not succeed. {@link AttemptRules} decides; who had the attempt says it in
 * its own words: a worker as {@link JobUpdate}, the holder of a token and the sweep as {@link dev.durable.store.JobOrder}.
 */
sealed interface Ruling {

    /** It failed, and its workflow hears of it. */
    record Failed(Failure failure) implements Ruling {}

    /** It was asked to cancel, and has obeyed. */
    record Cancelled() implements Ruling {}

    /** It was asked to cancel, and ran out of its time before it said that it had: nobody waits for it any longer. */
    record CancelledLate(Failure failure) implements Ruling {}

    /** It ran out of a timeout, and its workflow hears of it. */
    record TimedOut(TimeoutType timeout) implements Ruling {}

    /** This attempt failed, and schedule-to-close leaves no room for another. */
    record OutOfTime(String reason, Failure failure) implements Ruling {}

    /** Used up, and it ends as if it had returned null. */
    record Discarded(Failure failure) implements Ruling {}

    /**
     * Used up, and it stays until somebody says what becomes of it.
     *
     * @param incident an incident, else a dead letter
     */
    record Buried(boolean incident, String reason, Failure failure) implements Ruling {}

    /**
     * Another attempt follows.
     *
     * @param limited where the failure said how many may
     */
    record Again(
            String reason,
            Failure failure,
            Duration delay,
            @Nullable Limited limited) implements Ruling {

        /**
         * The limit, as it travels with the job.
         *
         * @param remainingAttempts how many may follow
         * @param options that say so
         */
        record Limited(int remainingAttempts, JobUpdate.NewOptions options) {}
    }

    /** Given back: no attempt is used. */
    record GivenBack(Duration delay) implements Ruling {}
}
