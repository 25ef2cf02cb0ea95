package dev.durable.store;

import dev.durable.client.QueueDescription;
import dev.durable.client.Queues.PausedActivity;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of the store's SPI for task queues: pauses, limits, admission, depth, and claims under limits. Part of a
 * {@link HistoryStore}.
 */
public interface QueueStore {

    /**
     * Makes the change, and writes it into the audit. Returns false, and writes nothing, if the queue or activity is in
     * that state already.
     */
    boolean change(QueueChange change);

    /** The rules of these queues. One round trip. */
    QueueRules queueRules(Collection<String> taskQueues);

    /** All queues that contain jobs or have a setting, by name. */
    List<QueueDescription> queues();

    /** The paused activities, by name. */
    List<PausedActivity> pausedActivities();

    /**
     * Claims of a queue whose claims are limited, which {@link HistoryStore#claimJobs} leaves alone: one claim at a
     * time over all workers, never more jobs than its limits allow; bodies whose jobs are gone count for as long as
     * their places are kept. For a queue without limits it does an ordinary claim.
     */
    LimitedClaim claimLimitedJobs(JobClaim claim);

    /**
     * Lets jobs with a limit key through, of each key as many as its limits allow, in the order of their ranks. One
     * admission runs at a time over all workers: if another worker admits just now, this call does not wait for it.
     */
    Admission admit(String taskQueue);

    /** The number of jobs of this queue that are not begun and of its runs that are due; counted up to this many. */
    int depth(String taskQueue, int atMost);

    /**
     * The result of admitting jobs of a queue that wait for their limit key.
     *
     * @param admitted how many are ready now
     * @param waiting whether others still wait, or may
     * @param retryIn when more may be let through although no job ends; null is not known
     */
    record Admission(
            int admitted, boolean waiting, @Nullable Duration retryIn) {}

    /**
     * The result of claiming jobs from a queue that has limits.
     *
     * @param jobs the jobs
     * @param retryIn when more may be let through although no job ends: another worker claims just now, or the rate
     *     allows more then; null is not known
     */
    record LimitedClaim(List<ClaimedJob> jobs, @Nullable Duration retryIn) {

        public LimitedClaim {
            jobs = List.copyOf(jobs);
        }
    }
}
