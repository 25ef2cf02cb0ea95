package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Trials;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Transactional activities that take too long, or are too many, and the resources of the database that they may keep.
 */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class TransactionalTimeoutTest {

    @Activity(transactional = true, startToClose = "1m", retry = @Retry(maxAttempts = 1))
    interface Slow {
        void work() throws SQLException;
    }

    @Workflow
    static class Patient {
        @Run
        int run(int times, Duration limit) throws Exception {
            Slow slow = Durable.activities(Slow.class, o -> o.startToClose(limit));
            return Promise.all(IntStream.range(0, times)
                            .mapToObj(i -> Durable.async(slow::work))
                            .toList())
                    .size();
        }
    }

    /** The timeout of bodies that are to exceed it. */
    private static final Duration SHORT = Duration.ofSeconds(1);

    /** A timeout that no body exceeds, even if its thread stands still for a while. */
    private static final Duration LONG = Duration.ofSeconds(30);

    private final Bench bench = new Bench();

    @BeforeEach
    void table() throws SQLException {
        execute("create table account (id int primary key, amount int not null)");
        execute("insert into account values (1, 0)");
    }

    @AfterEach
    void drop() {
        bench.close();
    }

    /** Locks a row without the bound of statements, which would also end it, a little later. */
    private static void lockAccount(Connection connection) throws SQLException {
        execute(connection, "set local statement_timeout = 0");
        execute(connection, "update account set amount = amount + 1 where id = 1");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void a_statement_that_hangs_is_cancelled_when_its_attempt_times_out_and_its_locks_are_free() throws Exception {
        try (DurableEngine engine = bench.engine()
                .register(Patient.class)
                .activity(Slow.class, () -> {
                    Connection connection = ActivityContext.current().transaction(Connection.class);
                    lockAccount(connection);
                    execute(connection, "select pg_sleep(600)");
                })
                .start()) {
            Trials.once(number -> {
                timesOut(engine, "p-" + number);
                assertThat(becomesFree()).isLessThan(Duration.ofSeconds(3));
            });
        }
    }

    @Test
    void a_body_that_takes_no_notice_loses_its_transaction() throws Exception {
        try (DurableEngine engine = bench.engine()
                .register(Patient.class)
                .activity(Slow.class, () -> {
                    Connection connection = ActivityContext.current().transaction(Connection.class);
                    lockAccount(connection);
                    Savepoint savepoint = connection.setSavepoint();
                    try {
                        execute(connection, "select pg_sleep(600)");
                    } catch (SQLException e) {
                        connection.rollback(savepoint);
                        execute(connection, "select pg_sleep(600)");
                    }
                })
                .start()) {
            Trials.once(number -> {
                timesOut(engine, "p-" + number);
                assertThat(becomesFree()).isLessThan(Duration.ofSeconds(15));
            });
        }
    }

    @Test
    void statements_and_silences_of_a_body_are_bounded_in_the_server_well_above_what_is_left_of_the_attempt() {
        List<Integer> bounds = boundsOfABodyOn(bench.dataSource());

        // The bound is a minute more than twice the time that is left to the attempt.
        assertThat(bounds)
                .hasSize(2)
                .allSatisfy(bound -> assertThat(bound).isBetween(60_001, 60_000 + 2 * (int) LONG.toMillis()));
    }

    @Test
    void bounds_of_the_pools_own_stay_where_they_are_shorter() throws SQLException {
        execute("""
                do $$ begin
                    execute format('alter database %I set statement_timeout = 7000', current_database());
                    execute format('alter database %I set idle_in_transaction_session_timeout = 8000', current_database());
                end $$""");

        assertThat(boundsOfABodyOn(bench.pool(8))).containsExactly(8_000, 7_000);
    }

    @Test
    void an_operators_longer_timeout_reaches_the_transaction_of_a_body_that_runs() throws Exception {
        Trials.once(this::anOperatorsLongerTimeoutReachesABodyThatRuns);
    }

    /** If the operator comes too late, the attempt has timed out. */
    private void anOperatorsLongerTimeoutReachesABodyThatRuns(int number) {
        List<Integer> bounds = new CopyOnWriteArrayList<>();
        CountDownLatch running = new CountDownLatch(1);
        // A worker learns of it with a beat of its session.
        try (DurableEngine engine = Bench.takingOverSoon(bench.dataSource())
                .register(Patient.class)
                .activity(Slow.class, () -> {
                    Connection connection = ActivityContext.current().transaction(Connection.class);
                    int before = bounds(connection).getFirst();
                    running.countDown();
                    // Beyond its own two seconds, as the worker's watch has learned of it, too.
                    for (long began = System.nanoTime();
                            !hasPassed(began, 2_500) || bounds(connection).getFirst() == before; ) {
                        LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
                    }
                    bounds.addAll(bounds(connection));
                })
                .start()) {
            WorkflowHandle<Patient, Integer> run =
                    engine.client().start(Patient.class, "p-" + number, w -> w.run(1, Duration.ofSeconds(2)));
            Bench.awaitThat(() -> running.getCount() == 0);
            assertThat(engine.client().activities().updateTimeout(Duration.ofMinutes(10)))
                    .isOne();
            assertThatCode(() -> run.result(Bench.SOON)).doesNotThrowAnyException();
        }
        assertThat(bounds).hasSize(2).allSatisfy(bound -> assertThat(bound).isBetween(1_200_000, 1_260_000));
    }

    @Test
    void the_longer_timeout_that_a_body_gives_itself_holds_for_its_next_statement_but_not_against_bounds_of_its_own() {
        List<Integer> bounds = new CopyOnWriteArrayList<>();
        try (DurableEngine engine = bench.engine()
                .register(Patient.class)
                .activity(Slow.class, () -> {
                    Connection connection = ActivityContext.current().transaction(Connection.class);
                    execute(connection, "set local statement_timeout = 7000");
                    ActivityContext.current().updateTimeout(Duration.ofMinutes(10));
                    bounds.addAll(bounds(connection));
                })
                .start()) {
            engine.client().start(Patient.class, "p-1", w -> w.run(1, LONG)).result(Bench.SOON);
        }
        assertThat(bounds).hasSize(2);
        assertThat(bounds.getFirst()).isBetween(1_200_000, 1_260_000);
        assertThat(bounds.getLast()).isEqualTo(7_000);
    }

    private static boolean hasPassed(long beganNanos, int millis) {
        return System.nanoTime() - beganNanos > Duration.ofMillis(millis).toNanos();
    }

    /** The bounds in milliseconds: for silences, and for statements. */
    private static List<Integer> bounds(Connection connection) throws SQLException {
        List<Integer> bounds = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                var row = statement.executeQuery("select setting from pg_settings where name in"
                        + " ('statement_timeout', 'idle_in_transaction_session_timeout') order by name")) {
            while (row.next()) {
                bounds.add(row.getInt(1));
            }
        }
        return bounds;
    }

    private List<Integer> boundsOfABodyOn(DataSource dataSource) {
        List<Integer> bounds = new CopyOnWriteArrayList<>();
        try (DurableEngine engine = Bench.engineOn(dataSource)
                .register(Patient.class)
                .activity(
                        Slow.class,
                        () -> bounds.addAll(bounds(ActivityContext.current().transaction(Connection.class))))
                .start()) {
            engine.client().start(Patient.class, "p-1", w -> w.run(1, LONG)).result(Bench.SOON);
        }
        return bounds;
    }

    @Test
    void with_more_slots_than_connections_bodies_leave_the_engine_what_it_needs() {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        DataSource eight = bench.pool(8);
        try (DurableEngine engine = Bench.engineOn(eight)
                .register(Patient.class)
                .activity(Slow.class, () -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    LockSupport.parkNanos(Duration.ofMillis(30).toNanos());
                    running.decrementAndGet();
                })
                .start()) {
            WorkflowHandle<Patient, Integer> run = engine.client().start(Patient.class, "p-1", w -> w.run(40, LONG));
            assertThat(run.result(Bench.SOON)).isEqualTo(40);
        }
        assertThat(most).hasValue(2);
    }

    @Test
    void a_worker_may_be_told_how_many_run_at_once() {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (DurableEngine engine = bench.engine()
                .maxTransactionalActivities(1)
                .register(Patient.class)
                .activity(Slow.class, () -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
                    running.decrementAndGet();
                })
                .start()) {
            engine.client().start(Patient.class, "p-1", w -> w.run(10, LONG)).result(Bench.SOON);
        }
        assertThat(most).hasValue(1);
        assertThatThrownBy(() -> bench.engine().maxTransactionalActivities(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least 1, not 0");
    }

    private void timesOut(DurableEngine engine, String id) {
        assertThatThrownBy(() -> engine.client()
                        .start(Patient.class, id, w -> w.run(1, SHORT))
                        .result(Bench.SOON))
                .rootCause()
                .hasMessageContaining("ran out of its start-to-close timeout");
    }

    /** How long it takes until another transaction can lock the row. */
    private Duration becomesFree() throws SQLException {
        long began = System.nanoTime();
        execute("update account set amount = amount + 10 where id = 1");
        return Duration.ofNanos(System.nanoTime() - began);
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = bench.dataSource().getConnection()) {
            execute(connection, sql);
        }
    }
}
