package dev.durable.store.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

/** Runs the plain SQL of tests. */
public final class Sql {
    private static final long SHORTEST_PAUSE = Duration.ofMillis(2).toNanos();
    private static final long LONGEST_PAUSE = Duration.ofMillis(25).toNanos();

    private Sql() {}

    public static void execute(DataSource dataSource, String sql) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e.getMessage() + " in: " + sql, e);
        }
    }

    public static long number(DataSource dataSource, String sql) {
        return Long.parseLong(column(dataSource, sql).getFirst());
    }

    /** The first column of each row as text. */
    public static List<String> column(DataSource dataSource, String sql) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        } catch (SQLException e) {
            throw new IllegalStateException(e.getMessage() + " in: " + sql, e);
        }
    }

    /** Cuts the connections on which processes listen to each other; returns how many there were. */
    public static long cutListeners(DataSource dataSource) {
        return number(dataSource, """
                select count(pg_terminate_backend(pid)) from pg_stat_activity
                 where datname = current_database() and pid <> pg_backend_pid() and query ~ 'pg_notify|listen'""");
    }

    /**
     * Polls until it holds or the time is over, and less and less often, as what is asked may keep the server from what is
     * waited for; tells whether it held.
     */
    public static boolean await(Duration atMost, BooleanSupplier condition) {
        long end = System.nanoTime() + atMost.toNanos();
        long pause = SHORTEST_PAUSE;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            LockSupport.parkNanos(pause);
            pause = Math.min(pause + pause / 2, LONGEST_PAUSE);
        }
        return true;
    }
}
