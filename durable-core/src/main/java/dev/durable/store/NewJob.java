package dev.durable.store;

import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An activity job to be inserted with the transition or start that schedules it.
 *
 * @param seq the activity's number in its run
 * @param route its activity and task queue
 * @param priority higher goes first, within the aging of the queue
 * @param content its arguments, options and headers
 * @param deadlines when it was scheduled, and its deadlines
 * @param maxWorkerCrashes how often its worker may die before it becomes a dead letter
 * @param eager inserted as claimed by the writing worker; null is inserted as ready
 * @param limitKey it is ready only when the limits of this key let it through, and it is never inserted as claimed;
 *     null is at once
 * @param delay how long from its insert until it may be claimed; it is then never inserted as claimed; zero is at once
 */
public record NewJob(
        int seq,
        JobRoute route,
        int priority,
        JobContent content,
        JobDeadlines deadlines,
        int maxWorkerCrashes,
        @Nullable Lease eager,
        @Nullable String limitKey,
        Duration delay) {

    private static final Duration SOON = Duration.ofSeconds(30);

    public NewJob {
        if (eager != null && limitKey != null) {
            throw new IllegalArgumentException("job " + seq + " has limit key " + limitKey
                    + " and can't be inserted as claimed: its key has to let it through");
        }
        if (eager != null && !delay.isZero()) {
            throw new IllegalArgumentException("job " + seq + " is delayed by " + delay
                    + " and can't be inserted as claimed: its time has to come");
        }
    }

    /** Returns whether its insert nudges workers: it is ready, or due before they would poll. */
    public boolean isDueSoon() {
        return delay.compareTo(SOON) < 0;
    }

    /** This job with other arguments; null leaves those it has. */
    public NewJob withInput(@Nullable String other) {
        return with(content.with(other, null), deadlines, maxWorkerCrashes);
    }

    /** This job with another content, other deadlines, and another number of crashes that it survives. */
    public NewJob with(JobContent otherContent, JobDeadlines otherDeadlines, int crashes) {
        return new NewJob(seq, route, priority, otherContent, otherDeadlines, crashes, eager, limitKey, delay);
    }

    /**
     * A claim of a job: its lease token and the session that runs it.
     *
     * @param token random, one per job and claim
     * @param session the worker session
     */
    public record Lease(UUID token, UUID session) {
        @Override
        public String toString() {
            return "Lease[session=" + session + "]";
        }
    }
}
