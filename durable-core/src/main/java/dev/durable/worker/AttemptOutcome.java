package dev.durable.worker;

import dev.durable.store.ClaimedJob;
import dev.durable.store.InboxMessage;
import dev.durable.store.JobKey;
import dev.durable.store.Transition;
import java.util.UUID;

/**
 * What the last attempt of an activity ended with, in this process and not yet durable.
 *
 * @param job which job; the lease it ended under is also the message's id
 * @param message the outcome as the inbox would take it: name is the event's type, payload its attributes
 * @param heartbeats whether heartbeat details of it may be in the store
 * @param local of a local activity: it has no job, and its lease is known to its run only
 * @param whenSettled told once it is durable or stale
 */
record AttemptOutcome(ClaimedJob job, InboxMessage message, boolean heartbeats, boolean local, Runnable whenSettled) {

    JobKey key() {
        return job.key();
    }

    UUID lease() {
        return job.lease();
    }

    /** How a transition says that the job has ended. */
    Transition.Settled settlement() {
        return new Transition.Settled(key().seq(), lease(), heartbeats);
    }

    /** It is durable, or stale for ever: its lease need not be answered for any more. */
    void settled() {
        whenSettled.run();
    }

    /** Who takes an outcome on the short way: the run's cached instance. */
    @FunctionalInterface
    interface Sink {
        /** Takes it if the run is cached here; the taker then sees to it that it becomes durable or stale, and says so. */
        boolean offer(AttemptOutcome outcome);
    }
}
