package dev.durable.internal.attempt;

import dev.durable.history.InboxMessage;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobKey;
import dev.durable.store.Transition;
import java.util.UUID;

/**
 * The final outcome of an activity that ended in this process and is not yet written: offered to the run's instance in
 * memory, else delivered to its inbox.
 *
 * @param job the job; the lease that it ended under is also the message's id
 * @param message the outcome as the inbox would take it: name is the event's type, payload its attributes
 * @param heartbeats whether heartbeat details of it may be in the store
 * @param local whether it is the outcome of a local activity, which has no job, and whose lease only its run knows
 * @param whenSettled called once it is durable or stale
 * @param refusal called when the store refuses it for good
 */
public record AttemptOutcome(
        ClaimedJob job,
        InboxMessage message,
        boolean heartbeats,
        boolean local,
        Runnable whenSettled,
        Reports.Refusal refusal) {

    public JobKey key() {
        return job.key();
    }

    public UUID lease() {
        return job.lease();
    }

    /** Returns the end of the job as part of a run's transition. */
    public Transition.Settled settlement() {
        return new Transition.Settled(key().seq(), lease(), heartbeats);
    }

    /** Calls the listener: the outcome is durable or stale, so its lease can be forgotten. */
    public void settled() {
        whenSettled.run();
    }

    @FunctionalInterface
    public interface Sink {
        /**
         * Takes the outcome if its run is in memory here; the run then makes it durable, or finds it stale, and calls
         * {@code settled}.
         */
        boolean offer(AttemptOutcome outcome);
    }
}
