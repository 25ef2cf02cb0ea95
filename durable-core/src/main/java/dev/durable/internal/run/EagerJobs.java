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
     * Takes a free slot for the activity, if this worker serves it, no pause or limit is in force there and queued jobs
     * are not starved by it.
     */
    Optional<NewJob.Lease> reserve(String taskQueue, String activity);

    /**
     * Notes that a job with a limit key is about to be inserted into this queue, where it waits until the key admits
     * it.
     */
    default void waitsForItsKey(String taskQueue) {}

    /** Runs a durable job in its reserved slot. */
    void start(ClaimedJob job);

    /** Gives the reserved slot back, as the job was not written. */
    void cancel(NewJob.Lease lease);

    /** Tells the body of an activity, if it runs here, that its run's request to cancel is durable. */
    void cancelRequested(JobKey key);

    /**
     * Counts the outcome of a job whose run had taken it, and which the store refused: another worker has the lease, or
     * the run has ended.
     */
    void wasStale(AttemptOutcome outcome);

    /** The implementation for processes that run no job eagerly. */
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
