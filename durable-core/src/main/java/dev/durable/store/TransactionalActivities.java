package dev.durable.store;

import dev.durable.StoreUnavailableException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs bodies of activities inside transactions of the store's own database, so that the writes of a body commit
 * together with its outcome.
 */
public interface TransactionalActivities {

    /** How many of them may run at once here, so that enough connections are left for the engine; at least 1. */
    int atOnce();

    /**
     * Runs the body on the calling thread inside a new transaction. If the body returns an outcome, the last statements
     * of that transaction complete the job under its lease, and it commits. If the body returns none, all is rolled
     * back.
     *
     * <p>Whatever is thrown, the caller need not know whether the transaction was committed: the job is deleted in the
     * same commit, so a later update under its lease is STALE exactly if it was.
     *
     * @param left how long the attempt may take: no statement of the body goes on for much longer, even where this
     *     process dies meanwhile
     * @throws StoreUnavailableException when the transaction could not begin, or was ended from outside, whatever the
     *     body did about that: its connection was lost, the server shuts down or is read-only, the transaction was
     *     rolled back as the victim of a deadlock or the like, or the answer to COMMIT never came. That is no failure
     *     of the body
     * @throws BodyRefusedException when the database refused the commit because of a deferred trigger or constraint of
     *     the application: a failure of the attempt, as if the body had thrown its cause
     * @throws RuntimeException when it was not committed for another reason
     */
    Outcome run(Duration left, Body body);

    /** The work that is done inside the transaction. */
    @FunctionalInterface
    interface Body {
        /** Does the work, and returns the outcome of the activity; empty rolls back. */
        Optional<JobUpdate.Settle> in(Transaction transaction);
    }

    /** The transaction, as the body may use it. */
    interface Transaction {
        /** The transaction as an object of this type, such as {@code java.sql.Connection}; null if it is none. */
        <T> @Nullable T as(Class<T> type);

        /** Takes the exception that the body threw: it may tell how the transaction ended, where nothing else does. */
        default void threw(Throwable thrown) {}

        /**
         * Gives the attempt more time: from the next statement on, the server's limits for the body leave room for it.
         * May be called on any thread; may wait for the statement that runs. Harmless when the transaction is over.
         *
         * @param left how long the attempt may take from now on
         */
        default void prolong(Duration left) {}

        /**
         * Asks the body to stop: a statement of it that runs is cancelled, and fails. May be called on any thread; may
         * take a round trip. Harmless when the transaction is over.
         */
        default void cancel() {}

        /** Ends the transaction of a body that did not stop, to free its locks. May be called when {@link #cancel} may. */
        default void end() {}
    }

    /** The result of a transaction. */
    enum Outcome {
        /** Its writes and the outcome are durable; or this very outcome had been committed before. */
        COMMITTED,
        /** The body returned no outcome: nothing of it was written. */
        ROLLED_BACK,
        /** The lease was lost: nothing of it was written, and nothing will be. */
        STALE
    }
}
