package dev.durable.store.postgres;

import java.sql.Connection;
import java.util.Optional;

/** Finds the transaction that the caller of a store has open, as a framework binds it to the current thread. */
public interface CallerTransactions {
    /**
     * Returns the connection of the transaction that is open on this thread and in the store's database; empty without
     * one. A transaction that is committed or rolled back does not count, though its callbacks may still run, as writes
     * in it would be lost.
     *
     * @throws RuntimeException if that can't be determined, so that nothing is written
     */
    Optional<Connection> current();

    /**
     * Runs the action after the current transaction has committed. It is called before the rows that the action is
     * about are written.
     */
    void afterCommit(Runnable action);

    /** Returns whether {@link #afterCommit} runs its actions. If it does not, polls find the rows of a commit. */
    default boolean tellsOfCommits() {
        return true;
    }

    /**
     * Returns whether a connection may lead to another database than the store's, as with a DataSource that chooses the
     * database by a key. Then each connection is checked, and a call in a transaction of another database is refused.
     */
    default boolean mayBeElsewhere() {
        return false;
    }

    /** Callers that never have a transaction open. */
    CallerTransactions NONE = new CallerTransactions() {
        @Override
        public Optional<Connection> current() {
            return Optional.empty();
        }

        @Override
        public void afterCommit(Runnable action) {
            throw new IllegalStateException("there is no transaction to wait for");
        }
    };
}
