package dev.durable.store.postgres;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * How a store begins and ends the transactions of transactional activities. A framework that keeps transactions by thread
 * brings its own, so that the body's writes through its means take part. Thread-safe.
 */
public interface ActivityTransactions {
    /**
     * Runs the work on the calling thread in a new transaction of the store's database, READ COMMITTED or stricter, and
     * commits when it returns true; rolls back when it returns false or throws.
     *
     * @throws RuntimeException what the work threw, as it is; or that the transaction could not begin or commit
     */
    void run(Work work);

    /** What is done in the transaction. */
    @FunctionalInterface
    interface Work {
        /**
         * Does it.
         *
         * @param connection the transaction's own; neither to be committed nor closed
         * @return whether to commit
         */
        boolean in(Connection connection) throws SQLException;
    }
}
