package dev.durable.internal.run;

import dev.durable.internal.attempt.AttemptOutcome;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobKey;
import dev.durable.store.NewJob;
import java.util.Optional;

/**
 * Reserves slots for activity jobs that this process will run itself right after the commit that creates them, without
 * a claim.
 */
public interface EagerJobs {
    /**
     * Takes a free slot for the activity, if this worker serves it, nothing is paused or limited there and queued
     * jobs are not starved by it.
     */
    Optional<NewJob.Lease> reserve(String taskQueue, String activity);

    /** A job with a limit key is about to be inserted into this queue; it waits until the key lets it through. */
    default void waitsForItsKey(String taskQueue) {}

    /** The job is durable: runs it in its reserved slot. */
    void start(ClaimedJob job);

    /** The job was not written: gives its slot back. */
    void cancel(NewJob.Lease lease);

    /** The run cancelled this activity, and that is durable: tells the body, if it runs here. */
    void cancelRequested(JobKey key);

    /** The outcome of one that a run had taken was refused: its lease is held by somebody else, or the run has ended. */
    void wasStale(AttemptOutcome outcome);

    /** Runs nothing eagerly. */
    EagerJobs NONE = new EagerJobs() {
        @Override
        public Optional<NewJob.Lease> reserve(String taskQueue, String activity) {
            return Optional.empty();
        }

        @Override
        public void start(ClaimedJob job) {
            throw new IllegalStateException("nothing was reserved");
        }

        @Override
        public void cancel(NewJob.Lease lease) {
            throw new IllegalStateException("nothing was reserved");
        }

        @Override
        public void cancelRequested(JobKey key) {}

        @Override
        public void wasStale(AttemptOutcome outcome) {}
    };
}
