package dev.durable.internal.attempt;

import dev.durable.store.ClaimedJob;
import dev.durable.store.InboxMessage;
import dev.durable.store.JobKey;
import dev.durable.store.Transition;
import java.util.UUID;

/**
 * The final outcome of an activity that ended in this process and is not yet written: offered to the run's instance in
 * memory, else delivered to its inbox.
 *
 * @param job which job; the lease it ended under is also the message's id
 * @param message the outcome as the inbox would take it: name is the event's type, payload its attributes
 * @param heartbeats whether heartbeat details of it may be in the store
 * @param local of a local activity: it has no job, and its lease is known to its run only
 * @param whenSettled told once it is durable or stale
 * @param refusal hears that the store refuses it for good
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

    /** How a transition says that the job has ended. */
    public Transition.Settled settlement() {
        return new Transition.Settled(key().seq(), lease(), heartbeats);
    }

    /** It is durable or stale: its lease can be forgotten. */
    public void settled() {
        whenSettled.run();
    }

    /** The receiver of outcomes for runs that are in this process's memory. */
    @FunctionalInterface
    public interface Sink {
        /**
         * Takes the outcome if its run is in memory here; the run then makes it durable, or finds it stale, and calls
         * {@code settled}.
         */
        boolean offer(AttemptOutcome outcome);
    }
}
