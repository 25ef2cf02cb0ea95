package dev.durable.store.postgres.internal.nudge;

import java.lang.reflect.Field;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.PGStream;
import org.postgresql.core.QueryExecutor;
import org.postgresql.core.QueryExecutorBase;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the JDBC driver return a notification as soon as it has arrived. By itself the driver waits a millisecond for
 * another one, each time: it means to do so once a second ({@code PGStream.hasMessagePending}), but if nothing comes,
 * which is nearly always so, an exception skips the line that writes down the time of the next wait. This class writes
 * that field of the driver, and restores it when the connection goes back to its pool. Notifications that arrive at one
 * moment still come together.
 *
 * <p>It accesses two private fields of the driver. If they are not found, notifications come a millisecond later and
 * nothing else changes.
 */
final class PromptNotifications implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PromptNotifications.class);
    private final @Nullable Runnable restore;

    private PromptNotifications(@Nullable Runnable restore) {
        this.restore = restore;
    }

    /** Takes effect on this connection until it is closed. */
    static PromptNotifications on(Connection connection) throws SQLException {
        QueryExecutor executor = connection.unwrap(BaseConnection.class).getQueryExecutor();
        try {
            Field streamOfExecutor = QueryExecutorBase.class.getDeclaredField("pgStream");
            streamOfExecutor.setAccessible(true);
            Object stream = streamOfExecutor.get(executor);
            Field nextLook = PGStream.class.getDeclaredField("nextStreamAvailableCheckTime");
            nextLook.setAccessible(true);
            long before = nextLook.getLong(stream);
            nextLook.setLong(stream, Long.MAX_VALUE);
            return new PromptNotifications(() -> set(nextLook, stream, before));
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            log.debug(
                    "notifications arrive a millisecond later than they could: this version of the JDBC driver is not known",
                    e);
            return new PromptNotifications(null);
        }
    }

    private static void set(Field field, Object of, long value) {
        try {
            field.setLong(of, value);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("it could be set before", e);
        }
    }

    boolean isInForce() {
        return restore != null;
    }

    @Override
    public void close() {
        if (restore != null) {
            restore.run();
        }
    }
}
