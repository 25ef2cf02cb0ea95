package dev.durable.store.postgres;

import java.sql.Connection;
import java.util.Optional;

/** How a store finds the transaction that its caller has open, as a framework keeps it for the current thread. */
public interface CallerTransactions {
    /**
     * The connection of the transaction that is open on this thread and in the store's database; empty without one. One that
     * is committed or rolled back counts no more, though its callbacks may still run: what is written in it then is lost.
     *
     * @throws RuntimeException where that can't be told, so that nothing is written
     */
    Optional<Connection> current();

    /** Runs the action after the current transaction has committed. Called before what the action is about is written. */
    void afterCommit(Runnable action);

    /** Whether {@link #afterCommit} does what it says. Where it does not, polls find what a commit has brought. */
    default boolean tellsOfCommits() {
        return true;
    }

    /**
     * Whether a connection may be one of another database than the store's, as where its DataSource chooses the database
     * by a key: then each is looked at, and a call in such a transaction is refused.
     */
    default boolean mayBeElsewhere() {
        return false;
    }

    /** Nobody ever has one open. */
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
