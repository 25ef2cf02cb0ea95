package dev.durable.store.postgres;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * A connection of the user's pool, set as the store needs it; goes back as it came.
 *
 * <p>Of Hikari's pool it is the driver's own connection: what Hikari sees of a lost one it logs with its stack, each time.
 * It is told of the loss when the connection goes back.
 *
 * @param connection for statements; neither closed nor switched by anybody but this
 * @param pooled what the pool gave
 * @param pool the pool, where it is to be told of a connection that was lost
 * @param autoCommit as it came
 */
record Borrowed(
        Connection connection, Connection pooled, @Nullable HikariDataSource pool, boolean autoCommit)
        implements AutoCloseable {

    /** Transactions are begun and ended by statements of ours, so that they travel with others: autocommit is on. */
    static Borrowed from(DataSource dataSource) throws SQLException {
        Connection pooled = dataSource.getConnection();
        try {
            boolean autoCommit = pooled.getAutoCommit();
            if (!autoCommit) {
                refuseOpenTransaction(pooled);
                pooled.setAutoCommit(true);
            }
            return dataSource instanceof HikariDataSource pool && pooled.isWrapperFor(BaseConnection.class)
                    ? new Borrowed(pooled.unwrap(BaseConnection.class), pooled, pool, autoCommit)
                    : new Borrowed(pooled, pooled, null, autoCommit);
        } catch (SQLException | RuntimeException e) {
            pooled.close();
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

    /** Asks it, and gives it back where it is dead. */
    boolean answers() {
        try (var statement = connection.createStatement()) {
            statement.execute("");
            return true;
        } catch (SQLException dead) {
            try {
                close();
            } catch (SQLException alsoDead) {
                dead.addSuppressed(alsoDead);
            }
            return false;
        }
    }

    /** Gives the connection back; another pool than Hikari's notices a broken one by itself. */
    @Override
    public void close() throws SQLException {
        try (pooled) {
            if (pool != null && connection.isClosed()) {
                pool.evictConnection(pooled);
            } else if (!autoCommit && !pooled.isClosed()) {
                pooled.setAutoCommit(false);
            }
        }
    }
}
