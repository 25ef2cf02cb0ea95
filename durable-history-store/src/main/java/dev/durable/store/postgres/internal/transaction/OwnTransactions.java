package dev.durable.store.postgres.internal.transaction;

import dev.durable.store.postgres.ActivityTransactions;
import dev.durable.store.postgres.CallerTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs transactional activities' transactions on connections of the user's pool, bound to the body's thread. */
public final class OwnTransactions implements ActivityTransactions, CallerTransactions {
    private static final Logger log = LoggerFactory.getLogger(OwnTransactions.class);

    private final DataSource dataSource;
    private final Function<SQLException, RuntimeException> failures;

    @SuppressWarnings("ThreadLocalUsage") // a transaction of another store on this thread is not one of this store
    private final ThreadLocal<@Nullable Open> current = new ThreadLocal<>();

    private record Open(Connection connection, List<Runnable> afterCommit) {}

    public OwnTransactions(DataSource dataSource, Function<SQLException, RuntimeException> failures) {
        this.dataSource = dataSource;
        this.failures = failures;
    }

    @Override
    public Optional<Connection> current() {
        return Optional.ofNullable(current.get()).map(Open::connection);
    }

    @Override
    public void afterCommit(Runnable action) {
        Open open = current.get();
        if (open == null) {
            throw new IllegalStateException("there is no transaction to wait for");
        }
        open.afterCommit().add(action);
    }

    @Override
    public void run(Work work) {
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                inside(connection, work);
            } finally {
                giveBack(connection, autoCommit);
            }
        } catch (SQLException e) {
            throw failures.apply(e);
        }
    }

    private void inside(Connection connection, Work work) throws SQLException {
        Open open = new Open(connection, new ArrayList<>());
        current.set(open);
        boolean commit = false;
        try {
            commit = work.in(connection);
        } finally {
            current.remove();
            if (!commit) {
                rollback(connection);
            }
        }
        if (commit) {
            connection.commit();
            open.afterCommit().forEach(Runnable::run);
        }
    }

    /** Rolls back. A connection that can't even roll back is lost, and its transaction with it. */
    private static void rollback(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            log.debug("rolled back by the loss of its connection: {}", e.getMessage());
        }
    }

    /**
     * Gives the connection back. A transaction that failed to commit is rolled back first, as switching autocommit on
     * would commit it.
     */
    private static void giveBack(Connection connection, boolean autoCommit) {
        try {
            if (!connection.isClosed()) {
                connection.rollback();
                connection.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            log.debug("a lost connection is the pool's to notice: {}", e.getMessage());
        }
    }
}
