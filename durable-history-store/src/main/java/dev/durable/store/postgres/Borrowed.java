package dev.durable.store.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** A connection of the user's pool, set as the store needs it; goes back as it came. */
record Borrowed(Connection connection, boolean autoCommit) implements AutoCloseable {

    /** Transactions are begun and ended by statements of ours, so that they travel with others: autocommit is on. */
    static Borrowed from(DataSource dataSource) throws SQLException {
        Connection connection = dataSource.getConnection();
        try {
            boolean autoCommit = connection.getAutoCommit();
            if (!autoCommit) {
                refuseOpenTransaction(connection);
                connection.setAutoCommit(true);
            }
            return new Borrowed(connection, autoCommit);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** Switching autocommit on would commit somebody else's work. */
    private static void refuseOpenTransaction(Connection connection) throws SQLException {
        if (connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE) {
            throw new IllegalStateException(
                    "the DataSource gave a connection with a transaction open on it. Usual cause: a"
                            + " proxy that hands out the connection of the current transaction (Spring's"
                            + " TransactionAwareDataSourceProxy). Give Durable the DataSource behind it.");
        }
    }

    /** Gives the connection back; a broken one is the pool's to notice. */
    @Override
    public void close() throws SQLException {
        try (connection) {
            if (!autoCommit && !connection.isClosed()) {
                connection.setAutoCommit(false);
            }
        }
    }
}
