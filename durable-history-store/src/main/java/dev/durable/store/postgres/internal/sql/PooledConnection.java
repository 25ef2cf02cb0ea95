package dev.durable.store.postgres.internal.sql;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * A connection taken from the user's pool and set up for the store; its settings are restored when it goes back.
 *
 * <p>Of Hikari's pool it uses the driver's own connection, because Hikari logs each error of a lost connection that it
 * sees with its stack. The pool is told of the loss when the connection is returned.
 *
 * @param connection for statements; only this class closes it or switches its autocommit
 * @param pooled the connection as the pool gave it
 * @param pool the pool, if it has to be told of a lost connection
 * @param autoCommit the setting with which it came
 */
public record PooledConnection(
        Connection connection, Connection pooled, @Nullable HikariDataSource pool, boolean autoCommit)
        implements AutoCloseable {

    /**
     * Takes a connection. Autocommit is on, as the store begins and ends transactions by statements of its own, which
     * it sends together with others.
     */
    public static PooledConnection from(DataSource dataSource) throws SQLException {
        Connection pooled = dataSource.getConnection();
        try {
            boolean autoCommit = pooled.getAutoCommit();
            if (!autoCommit) {
                refuseOpenTransaction(pooled);
                pooled.setAutoCommit(true);
            }
            return dataSource instanceof HikariDataSource pool && pooled.isWrapperFor(BaseConnection.class)
                    ? new PooledConnection(pooled.unwrap(BaseConnection.class), pooled, pool, autoCommit)
                    : new PooledConnection(pooled, pooled, null, autoCommit);
        } catch (SQLException | RuntimeException e) {
            pooled.close();
            throw e;
        }
    }

    /** Refuses a connection with an open transaction, because switching autocommit on would commit that. */
    private static void refuseOpenTransaction(Connection connection) throws SQLException {
        if (connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE) {
            throw new IllegalStateException(
                    "the DataSource gave a connection with a transaction open on it. Usual cause: a"
                            + " proxy that hands out the connection of the current transaction (Spring's"
                            + " TransactionAwareDataSourceProxy). Give Durable the DataSource behind it.");
        }
    }

    /** Checks whether the connection answers, and returns it to the pool if it does not. */
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
