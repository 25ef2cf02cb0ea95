package dev.durable.internal.attempt;

import dev.durable.StoreRefusedException;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobKey;
import dev.durable.store.JobUpdate;
import dev.durable.store.JobUpdate.Outcome;
import dev.durable.store.TransactionalActivities;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The interface by which attempts report their outcomes: of activities with a job to the store, of local activities to
 * their run.
 */
public interface Reports {
    /** Returns the bytes of reports that wait to be written. */
    default long held() {
        return 0;
    }

    /** Receives the result of a report: an outcome, or the error that keeps it from being stored at all. */
    @FunctionalInterface
    interface Answer {
        void hear(@Nullable Outcome outcome, @Nullable Throwable error);
    }

    /** Returns whether the attempts are of local activities, of which the store has nothing before their outcome. */
    boolean local();

    /** Returns how attempts commit together with the writes of their bodies; empty where the store can't. */
    default Optional<TransactionalActivities> transactional() {
        return Optional.empty();
    }

    /** Returns how many entries attempts of the job under other leases have appended to a stream. */
    default long appendedBefore(JobKey job, UUID lease, String stream) {
        throw new UnsupportedOperationException("a local activity appends nothing");
    }

    /** Reports that the attempt ended its activity. */
    void settle(AttemptOutcome outcome);

    /**
     * Reports that the attempt ended its activity while its body goes on, whose place under limits is kept; runs the
     * follower when the store has answered.
     */
    default void settleAndGoOn(AttemptOutcome outcome, Runnable then) {
        settle(outcome);
        then.run();
    }

    /** Counts that the store refused to commit a transactional activity, as its lease was no longer held. */
    default void transactionWasStale() {}

    /** Logs that the transaction of a body was ended from outside, and its job is given back. */
    default void interrupted(ClaimedJob job, String shown) {}

    /**
     * Finds and reports another end where the store refuses one for good; returns whether it does. Called on any
     * thread.
     */
    @FunctionalInterface
    interface Refusal {
        boolean heard(StoreRefusedException why);
    }

    /**
     * Reports that the attempt ended and its activity did not, as it is retried or given back; then runs the follower.
     */
    default void end(JobUpdate update, Runnable then) {
        end(update, then, why -> false);
    }

    /** Reports such an end; where the store refuses it for good, the refusal may find another. */
    void end(JobUpdate update, Runnable then, Refusal refusal);

    /** Reports from an attempt that goes on. The answer may come on any thread, so it must not run user code. */
    void tell(JobUpdate update, Answer answer);
}
