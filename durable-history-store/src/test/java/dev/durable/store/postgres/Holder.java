package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import dev.durable.store.StartOutcome;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A transaction of another process that stays open, as a debugger at a breakpoint leaves it. */
public final class Holder implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Set<Holder> OPEN = ConcurrentHashMap.newKeySet();

    private final Connection connection;
    private final long pid;

    private Holder(Connection connection) throws SQLException {
        this.connection = connection;
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
            row.next();
            pid = row.getLong(1);
        }
        OPEN.add(this);
    }

    /** Closes the transactions that failed tests have left open, as the next test would wait for them. */
    public static void closeAll() {
        OPEN.forEach(Holder::close);
    }

    public static Holder open() {
        try {
            return new Holder(PostgresFixture.database().dataSource().getConnection());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A transaction that has run these statements and goes no further. */
    public static Holder of(String... statements) {
        Holder holder = open();
        for (String sql : statements) {
            holder.run(sql);
        }
        return holder;
    }

    /** A transaction that holds a lock of the run's row. */
    public static Holder ofRun(RunKey run, String strength) {
        return of("select 1 from durable.run_state where run_id = '" + run.runId() + "' for " + strength);
    }

    /** A transaction that holds a lock of the row of an activity's job. */
    static Holder ofJob(RunKey run, int seq) {
        return of("select 1 from durable.activity_job where run_id = '" + run.runId() + "' and seq = " + seq
                + " for update");
    }

    /**
     * A transaction that has inserted an event: a transition that writes an event with this id stops there, after it
     * has written its run and taken its messages, and goes on when this rolls back.
     */
    static Holder ofEvent(RunKey run, long eventId) {
        return of("insert into durable.history_event (run_id, event_id, at, shard, type, attributes) values ('"
                + run.runId() + "', " + eventId + ", now(), " + run.shard() + ", 'Pause', '{}')");
    }

    /** Starts the run in this transaction. */
    public StartOutcome start(NewRun run) {
        return PostgresHistoryStore.builder(PostgresFixture.pool())
                .transactions(new CallerTransactions() {
                    @Override
                    public Optional<Connection> current() {
                        return Optional.of(connection);
                    }

                    @Override
                    public void afterCommit(Runnable action) {}
                })
                .build()
                .joined()
                .orElseThrow()
                .start(run);
    }

    Holder run(String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return this;
        } catch (SQLException e) {
            throw new IllegalStateException(e.getMessage() + " in: " + sql, e);
        }
    }

    /** Waits until another transaction waits for a lock of this one. */
    public void awaitWaiter() {
        assertThat(Sql.await(PATIENCE, () -> waiters() > 0))
                .as("somebody waits for transaction of backend %s", pid)
                .isTrue();
    }

    public long waiters() {
        return Sql.number(
                PostgresFixture.pool(),
                "select count(*) from pg_stat_activity where " + pid + " = any(pg_blocking_pids(pid))");
    }

    public void commit() {
        try (connection) {
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Rolls back, if nothing was committed. */
    @Override
    public void close() {
        OPEN.remove(this);
        try (connection) {
            if (!connection.isClosed()) {
                connection.rollback();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
