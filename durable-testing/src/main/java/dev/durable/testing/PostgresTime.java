package dev.durable.testing;

import dev.durable.store.HistoryStore;
import dev.durable.store.memory.VirtualClock;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.PostgresHistoryStoreBuilder;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * A real PostgreSQL whose time a test moves: the store reads time through one function of its schema, and this puts
 * another in its place, ahead of the server's clock. Between two moves time goes at a hundredth of its speed: signals
 * that are sent one after the other keep their order, and no deadline passes because the machine is slow or a debugger
 * halts the test for a minute.
 */
final class PostgresTime implements TestTime {
    private static final int CONNECTIONS = 8;
    /** The seconds of real time in which the store's time goes on by one second. */
    private static final int SLOWNESS = 100;
    /** The engine's estimate of the server's time is late by up to a round trip; what is due must be so for it too. */
    private static final Duration ESTIMATE = Duration.ofMillis(20);

    private static final String NEXT_DUE = """
            select min(due) from (
                select min(greatest(wake_at, not_before)) from durable.run_state where not paused
                union all select min(deadline) from durable.run_state
                union all select min(expires_at) from durable.run_state
                union all select min(visible_at) from durable.activity_job where state = 1
                union all select min(least(schedule_to_close_deadline, case when not begun
                                               then schedule_to_start_deadline end))
                            from durable.activity_job where state in (0, 1, 4, 7)
                union all select min(least(deadline, silent_until)) from durable.activity_job where state = 5
                union all select min(resume_at) from durable.queue where paused
                union all select min(resume_at) from durable.activity_pause
                union all select to_timestamp((split_part(piece, ':', 1)::bigint + 21) * 0.05)
                            from durable.queue q cross join unnest(string_to_array(q.recent_starts, ' ')) as piece
                           where q.rate_per_second is not null
                             and exists (select from durable.activity_job j
                                          where j.task_queue = q.task_queue and j.state in (0, 7))
                union all select start + interval '1 s'
                            from durable.limit_key_start k cross join unnest(k.starts) as start
                           where exists (select from durable.activity_job j
                                          where j.task_queue = k.task_queue and j.state in (0, 7))
            ) as times(due) where due > ?""";

    private final long begunNanos = System.nanoTime();
    private final Instant begun;
    private volatile Duration ahead = Duration.ZERO;
    private volatile long aheadNanos;
    private final DataSource pool;
    private final String schema;
    private final PostgresHistoryStore store;
    private final Runnable afterwards;

    private PostgresTime(DataSource pool, String schema, PostgresHistoryStoreBuilder builder, Runnable afterwards) {
        this.pool = pool;
        this.schema = '"' + schema + '"';
        this.store = builder.schema(schema).nanoTime(this::nanoTime).build();
        this.afterwards = afterwards;
        store.open();
        this.begun = store.now();
        replaceClock(Duration.ZERO);
        store.now();
    }

    /** In a database of its own. */
    static PostgresTime fresh() {
        TestDatabase database = TestDatabase.migrated();
        DataSource pool = database.pooledDataSource(CONNECTIONS);
        return new PostgresTime(pool, "durable", PostgresHistoryStore.builder(pool), database::close);
    }

    /**
     * In a schema of its own, which is made, and dropped at the end.
     *
     * @param pool connections to the database
     * @param builder of a store in the same database
     */
    static PostgresTime in(DataSource pool, String schema, PostgresHistoryStoreBuilder builder) {
        return new PostgresTime(
                pool, schema, builder, () -> execute(pool, "drop schema if exists \"" + schema + "\" cascade"));
    }

    @Override
    public HistoryStore store() {
        return store;
    }

    @Override
    public Instant now() {
        return store.now();
    }

    @Override
    public void advanceTo(Instant instant) {
        Duration by = Duration.between(now(), instant);
        if (by.isPositive()) {
            Duration target = ahead.plus(by).plus(ESTIMATE);
            // The database first: this process must never think it later than the database does.
            replaceClock(target);
            long before = aheadNanos;
            aheadNanos = before + VirtualClock.leap(target.minus(ahead));
            ahead = target;
            store.now();
        }
    }

    private void replaceClock(Duration ahead) {
        execute(
                pool,
                "create or replace function %s.clock() returns timestamptz language sql stable parallel safe as $$ select"
                                .formatted(schema)
                        + " timestamptz '%s' + (statement_timestamp() - timestamptz '%<s') / %d + %d * interval '1 ms' $$"
                                .formatted(begun, SLOWNESS, ahead.toMillis()));
    }

    private long nanoTime() {
        return begunNanos + (System.nanoTime() - begunNanos) / SLOWNESS + aheadNanos;
    }

    @Override
    public Optional<Instant> nextDue(Instant looked) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(NEXT_DUE.replace("durable.", schema + "."))) {
            statement.setObject(1, looked.atOffset(ZoneOffset.UTC));
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return Optional.ofNullable(row.getObject(1, OffsetDateTime.class))
                        .map(OffsetDateTime::toInstant);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("can't read what is due next in the test database", e);
        }
    }

    private static void execute(DataSource pool, String sql) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        } catch (SQLException e) {
            throw new IllegalStateException("can't move the time of the test database", e);
        }
    }

    @Override
    public void close() {
        store.close();
        afterwards.run();
    }
}
