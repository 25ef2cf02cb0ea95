package dev.durable.internal.attempt;

import dev.durable.StoreRefusedException;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobUpdate;
import dev.durable.store.JobUpdate.Outcome;
import dev.durable.store.TransactionalActivities;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The interface by which attempts report their outcomes: of activities with a job to the store, of local activities to
 * their run.
 */
public interface Reports {
    /** Bytes of reports that wait to be written. */
    default long held() {
        return 0;
    }

    /** Receives the result of a report: an outcome, or the error that keeps it from being stored at all. */
    @FunctionalInterface
    interface Answer {
        void hear(@Nullable Outcome outcome, @Nullable Throwable error);
    }

    /** Whether the attempts are of local activities: nothing of them is in the store before their outcome. */
    boolean local();

    /** How attempts commit together with what they write; empty where they can't. */
    default Optional<TransactionalActivities> transactional() {
        return Optional.empty();
    }

    /** The attempt ended its activity. */
    void settle(AttemptOutcome outcome);

    /** The same while its body goes on, whose place under limits is kept; when that is answered, something follows. */
    default void settleAndGoOn(AttemptOutcome outcome, Runnable then) {
        settle(outcome);
        then.run();
    }

    /** The store refused to commit a transactional activity, as its lease was no longer held. */
    default void transactionWasStale() {}

    /** The transaction of a body was ended from outside, and its job is given back; for the log. */
    default void interrupted(ClaimedJob job, String shown) {}

    /** Hears that the store refuses an end for good, and reports another; says whether it does. Called on any thread. */
    @FunctionalInterface
    interface Refusal {
        boolean heard(StoreRefusedException why);
    }

    /** The attempt ended, its activity did not: retried or given back, and then something follows. */
    default void end(JobUpdate update, Runnable then) {
        end(update, then, why -> false);
    }

    /** The same of an end that another may take the place of. */
    void end(JobUpdate update, Runnable then, Refusal refusal);

    /** The attempt goes on. The answer may come on any thread, so it must not run user code. */
    void tell(JobUpdate update, Answer answer);
}
