package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Run;
import dev.durable.Trials;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.store.postgres.internal.schema.Ddl;
import dev.durable.store.postgres.internal.schema.Migration;
import dev.durable.store.postgres.internal.schema.MigrationStep;
import dev.durable.store.postgres.internal.schema.Migrations;
import dev.durable.store.postgres.internal.schema.NextMigrations;
import dev.durable.store.postgres.internal.sql.SchemaName;
import dev.durable.store.postgres.internal.sql.StoreErrors;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A report holds locks of tables, a migration changes them, and no writer waits long. {@code -Dddl.hold=20} holds each
 * table for twenty seconds; the default is two seconds, and only the two tables that each step writes.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
@Tag("slow")
class DdlUnderLoadTest {
    private static final Logger log = LoggerFactory.getLogger(DdlUnderLoadTest.class);
    private static final Duration HOLD = Duration.ofSeconds(Integer.getInteger("ddl.hold", 2));
    private static final boolean THOROUGH = HOLD.toSeconds() >= 20;
    private static final SchemaName SCHEMA = new SchemaName("durable");
    private static final Migrations NEXT = NextMigrations.ALL;
    private static final long MOST_MILLIS = 1_000;

    private final TestDatabase database = TestDatabase.create();
    private final DataSource pool = database.pooledDataSource(32);
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicLong longest = new AtomicLong();
    private final AtomicLong numbers = new AtomicLong();

    @Workflow
    static class Order {
        private final Steps steps;

        Order(Steps steps) {
            this.steps = steps;
        }

        @Run
        String run(int number) {
            steps.reserve(number);
            return steps.ship(number);
        }
    }

    @Activity
    interface Steps {
        int reserve(int number);

        String ship(int number);
    }

    static class Done implements Steps {
        @Override
        public int reserve(int number) {
            return number;
        }

        @Override
        public String ship(int number) {
            return "shipped " + number;
        }
    }

    @AfterEach
    void drop() {
        over.set(true);
        database.close();
    }

    static Stream<String> tables() {
        return THOROUGH
                ? Stream.of(
                        "workflow_run",
                        "run_state",
                        "history_event",
                        "workflow_stream",
                        "stream_entry",
                        "stream_source",
                        "inbox",
                        "outbox",
                        "activity_job",
                        "activity_heartbeat",
                        "session",
                        "queue",
                        "audit",
                        "kept_place",
                        "batch_job")
                : Stream.of("run_state", "activity_job");
    }

    /** The kinds of change that migrations make: a column, a column's end, an index in a step of its own. */
    @ParameterizedTest
    @MethodSource("tables")
    void no_run_takes_longer_than_a_second_while_a_table_that_a_report_holds_is_changed(String table) throws Exception {
        Trials.once(number -> runsGoOnWhileATableIsChanged(table));
    }

    private void runsGoOnWhileATableIsChanged(String table) throws Exception {
        try (DurableEngine engine = engine()) {
            Runs runs = new Runs(engine);
            Ddl ddl = ddl();
            try (Connection report = reading(table)) {
                CompletableFuture<Void> change = CompletableFuture.runAsync(() -> {
                    ddl.transaction(
                            "a column",
                            statement -> statement.execute("alter table durable." + table + " add column added text"));
                    if (!Set.of("history_event", "stream_entry").contains(table)) {
                        // PostgreSQL builds no index of a partitioned table concurrently.
                        ddl.transaction(
                                "an index",
                                turn -> ddl.alone(
                                        turn,
                                        "create index concurrently if not exists added_index on durable." + table
                                                + " (added)"));
                    }
                    ddl.transaction(
                            "a column",
                            statement -> statement.execute("alter table durable." + table + " drop column added"));
                });
                runs.go(HOLD);
                report.rollback();
                runs.goUntil(change);
            }
            runs.assertThatAllWentOn();
        }
    }

    @Test
    void no_run_takes_longer_than_a_second_while_the_partition_that_a_report_reads_is_dropped() throws Exception {
        Trials.once(number -> runsGoOnWhileAPartitionIsDropped());
    }

    private void runsGoOnWhileAPartitionIsDropped() throws Exception {
        try (DurableEngine engine = engine()) {
            YearMonth month = YearMonth.now(ZoneOffset.UTC).minusMonths(2);
            Sql.execute(pool, "select durable.add_history_partitions('" + month + "-10Z', '" + month + "-20Z')");
            Runs runs = new Runs(engine);
            try (Connection report = reading("v_history")) {
                CompletableFuture<List<String>> dropped = CompletableFuture.supplyAsync(
                        () -> HistoryPartitions.of(database.dataSource()).drop(month));
                runs.go(HOLD);
                assertThat(dropped).isNotDone();
                report.rollback();
                runs.goUntil(dropped);
                assertThat(dropped.get())
                        .containsExactly(
                                "history_event_" + month.toString().replace('-', '_'),
                                "stream_entry_" + month.toString().replace('-', '_'));
            }
            runs.assertThatAllWentOn();
        }
    }

    @Test
    void no_run_takes_longer_than_a_second_while_partitions_are_made() throws Exception {
        Trials.once(number -> runsGoOnWhilePartitionsAreMade());
    }

    private void runsGoOnWhilePartitionsAreMade() throws Exception {
        Sql.execute(pool, FORGET_LATER_PARTITIONS);
        try (DurableEngine engine = engine()) {
            Runs runs = new Runs(engine);
            try (Connection report = reading("history_event")) {
                assertThat(Sql.number(
                                pool, "select durable.add_history_partitions(now(), now() + interval '390 days')"))
                        .isGreaterThan(9);
                runs.go(Duration.ofMillis(500));
                report.rollback();
            }
            runs.assertThatAllWentOn();
        }
    }

    /** Drops the partitions that an earlier try has made. */
    private static final String FORGET_LATER_PARTITIONS = """
            do $forget$
            declare
                later text;
            begin
                for later in select c.oid::regclass::text from pg_inherits i join pg_class c on c.oid = i.inhrelid
                              where i.inhparent in (to_regclass('durable.history_event'), to_regclass('durable.stream_entry'))
                                and substring(c.relname from '[0-9]{4}_[0-9]{2}')
                                    > to_char(now() + interval '2 months', 'YYYY_MM') loop
                    execute 'drop table ' || later;
                end loop;
            end $forget$""";

    static Stream<Integer> versions() {
        Stream<Integer> versions = steps().map(MigrationStep::version).distinct();
        return THOROUGH ? versions : versions.limit(1);
    }

    private static Stream<MigrationStep> steps() {
        return NEXT.stepsAfter(Schema.version(), SCHEMA, "durable").stream();
    }

    /** Instead of an engine, a writer for each table takes the lock of an INSERT, again and again. */
    @ParameterizedTest
    @MethodSource("versions")
    void no_write_waits_longer_than_a_second_while_a_schema_is_migrated_to(int version) throws Exception {
        Trials.once(number -> writesGoOnWhileASchemaIsMigratedTo(version));
    }

    private void writesGoOnWhileASchemaIsMigratedTo(int version) throws Exception {
        Sql.execute(pool, "drop schema if exists durable cascade");
        over.set(false);
        longest.set(0);
        Sql.execute(pool, Schema.sql());
        steps().filter(step -> step.version() < version).forEach(step -> Sql.execute(pool, step.sql()));
        List<String> tables = Sql.column(
                pool,
                "select relname from pg_class where relnamespace = 'durable'::regnamespace and relkind in ('r', 'p')"
                        + " and relname <> 'schema_version'");
        List<Meanwhile<Boolean>> writers = tables.stream()
                .map(table -> Meanwhile.of(() -> writesTo(table)))
                .toList();
        Connection report = database.dataSource().getConnection();
        report.setAutoCommit(false);
        try (report;
                Statement statement = report.createStatement()) {
            for (String table : tables) {
                statement.execute("lock table durable." + table + " in access share mode");
            }
            Meanwhile<Boolean> migration = Meanwhile.of(() -> {
                new Migration(pool, null, SCHEMA, null, new StoreErrors("orders-db"), Ddl.PATIENCE, NEXT)
                        .run(SchemaMode.MIGRATE);
                return true;
            });
            LockSupport.parkNanos(HOLD.toNanos());
            report.rollback();
            assertThat(migration.get()).isTrue();
        }
        over.set(true);
        writers.forEach(writer -> assertThat(writer.get()).isTrue());

        assertThat(Sql.number(pool, "select max(version) from durable.schema_version"))
                .isEqualTo(NEXT.version());
        log.info("{} ms took the longest write", TimeUnit.NANOSECONDS.toMillis(longest.get()));
        assertThat(TimeUnit.NANOSECONDS.toMillis(longest.get()))
                .as("ms of the write that took longest")
                .isLessThan(MOST_MILLIS);
    }

    private boolean writesTo(String table) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            while (!over.get()) {
                long start = System.nanoTime();
                statement.execute("begin; lock table durable." + table + " in row exclusive mode; commit");
                longest.accumulateAndGet(System.nanoTime() - start, Math::max);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
            return true;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private DurableEngine engine() {
        return DurableEngine.builder(PostgresHistoryStore.of(pool))
                .register(Order.class, new Done())
                .pollInterval(Duration.ofMillis(50))
                .start();
    }

    private Ddl ddl() {
        return new Ddl(database.dataSource(), SCHEMA, new StoreErrors("test"), Ddl.PATIENCE);
    }

    private Connection reading(String table) throws SQLException {
        Connection report = database.dataSource().getConnection();
        report.setAutoCommit(false);
        try (Statement statement = report.createStatement()) {
            statement.execute("select count(*) from durable." + table);
        }
        return report;
    }

    /** Runs from four threads, one after the other in each. */
    private final class Runs {
        private static final int THREADS = 4;

        private final DurableEngine engine;
        private long done;

        /** Runs a few first, as the first runs load classes. */
        Runs(DurableEngine engine) {
            this.engine = engine;
            go(Duration.ofSeconds(1));
            longest.set(0);
        }

        void go(Duration time) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            end.completeOnTimeout(null, time.toMillis(), TimeUnit.MILLISECONDS);
            goUntil(end);
        }

        void goUntil(CompletableFuture<?> end) {
            List<Meanwhile<Long>> threads = Stream.generate(() -> Meanwhile.of(() -> oneAfterTheOther(end)))
                    .limit(THREADS)
                    .toList();
            end.join();
            threads.forEach(thread -> done += thread.get());
        }

        private long oneAfterTheOther(CompletableFuture<?> end) {
            long count = 0;
            while (!end.isDone()) {
                int number = (int) numbers.incrementAndGet();
                long start = System.nanoTime();
                engine.client()
                        .start(Order.class, StartOptions.id("order-" + number), w -> w.run(number))
                        .result();
                longest.accumulateAndGet(System.nanoTime() - start, Math::max);
                count++;
            }
            return count;
        }

        void assertThatAllWentOn() {
            log.info("{} ms took the longest of {} runs", TimeUnit.NANOSECONDS.toMillis(longest.get()), done);
            assertThat(TimeUnit.NANOSECONDS.toMillis(longest.get()))
                    .as("ms of the run that took longest, of %s", done)
                    .isLessThan(MOST_MILLIS);
            assertThat(done).isGreaterThan(20);
            assertThat(Sql.number(pool, "select count(*) from durable.session where dead"))
                    .isZero();
            assertThat(engine.healthy()).isTrue();
        }
    }
}
