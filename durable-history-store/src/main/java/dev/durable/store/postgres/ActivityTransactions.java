package dev.durable.store.postgres;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Begins and ends the transactions of transactional activities. A framework that binds transactions to threads brings
 * its own implementation, so that writes of the body through the framework take part. Thread-safe.
 */
public interface ActivityTransactions {
    /**
     * Runs the work on the calling thread in a new transaction of the store's database, READ COMMITTED or stricter, and
     * commits when it returns true; rolls back when it returns false or throws.
     *
     * @throws RuntimeException as the work threw it, or if the transaction could not begin or commit
     */
    void run(Work work);

    /** The work that is done in the transaction. */
    @FunctionalInterface
    interface Work {
        /**
         * Does the work.
         *
         * @param connection the connection of the transaction; the work must neither commit nor close it
         * @return whether to commit
         */
        boolean in(Connection connection) throws SQLException;
    }
}
