package dev.durable.store;

import dev.durable.StoreUnavailableException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs bodies of activities inside transactions of the store's own database, so that what a body writes commits
 * together with its outcome.
 */
public interface TransactionalActivities {

    /** How many of them may run at once in this process, so that enough connections are left for all else; at least 1. */
    int atOnce();

    /**
     * Runs the body on the calling thread inside a new transaction. Where it gives a settlement, the last statements of
     * that transaction settle the job under its lease, and it commits. Where it gives none, all is rolled back.
     *
     * <p>Whatever is thrown, the store knows what happened and the caller need not: the job goes in the same commit, so
     * whatever is later said under its lease is STALE exactly if the transaction was committed.
     *
     * @param left how long the attempt may take: no statement of the body goes on for much longer, even where this process
     *     dies meanwhile
     * @throws StoreUnavailableException when the transaction could not begin, or was ended from outside, whatever the body
     *     made of that: its connection was lost, the server goes away or can't be written, it was rolled back for the sake
     *     of another, or the answer to COMMIT never came. That is no failure of the body
     * @throws BodyRefusedException when the database refused the commit for what the application itself has in it (a deferred
     *     trigger or constraint): a failure of the attempt, as if the body had thrown its cause
     * @throws RuntimeException when it was not committed for another reason
     */
    Outcome run(Duration left, Body body);

    /** What is done inside. */
    @FunctionalInterface
    interface Body {
        /** Does it, and tells how the activity ended; empty rolls back. */
        Optional<JobUpdate.Settle> in(Transaction transaction);
    }

    /** The transaction, as the body may use it. */
    interface Transaction {
        /** What it is to code of this type (a {@code java.sql.Connection}, say); null where it is no such thing. */
        <T> @Nullable T as(Class<T> type);

        /** What the body threw: it may tell what became of the transaction, where nothing else does. */
        default void threw(Throwable thrown) {}

        /**
         * The attempt was given more time: from its next statement on, what bounds the body in the server leaves room for it.
         * Any thread; may wait for the statement that runs. Harmless when the transaction is over.
         *
         * @param left how long the attempt may take from now on
         */
        default void prolong(Duration left) {}

        /**
         * The body is to stop: a statement of it that runs is cancelled, and fails. Any thread; may take a round trip.
         * Harmless when the transaction is over.
         */
        default void cancel() {}

        /** The body did not stop: the transaction is ended where it is, and what it locks is free. As {@link #cancel}. */
        default void end() {}
    }

    /** What became of it. */
    enum Outcome {
        /** Its writes and the outcome are durable; or the same outcome was before. */
        COMMITTED,
        /** The body gave no settlement: nothing of it is there. */
        ROLLED_BACK,
        /** The lease was lost: nothing of it is there, and nothing will be. */
        STALE
    }
}
