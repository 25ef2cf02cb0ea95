package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StreamEntry;
import dev.durable.history.HistoryEvent;
import dev.durable.observe.EngineObserver;
import dev.durable.store.postgres.SqlInvariants;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.postgresql.jdbc.PgConnection;

/** An activity's own writes and its completion are one commit. */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class TransactionalActivityTest {

    @Activity(transactional = true, startToClose = "10s", retry = @Retry(initialInterval = "1ms", maxInterval = "1ms"))
    interface Accounts {
        int book(String account) throws SQLException;
    }

    @Workflow
    static class Booking {
        private final Accounts accounts;

        Booking(Accounts accounts) {
            this.accounts = accounts;
        }

        @Run
        int run(String account, int times) throws Exception {
            List<Promise<Integer>> all = IntStream.range(0, times)
                    .mapToObj(i -> Durable.async(() -> accounts.book(account)))
                    .toList();
            return Promise.all(all).size();
        }
    }

    private final Bench bench = new Bench();

    @BeforeEach
    void table() throws SQLException {
        execute("create table booking (idempotency_key text not null, account text not null)");
    }

    @AfterEach
    void drop() throws SQLException {
        assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        bench.close();
    }

    /** Writes its row, as the body of a transactional activity does. */
    static int insert(String account) throws SQLException {
        Connection connection = ActivityContext.current().transaction(Connection.class);
        try (var insert = connection.prepareStatement("insert into booking values (?, ?)")) {
            insert.setString(1, ActivityContext.current().info().idempotencyKey());
            insert.setString(2, account);
            return insert.executeUpdate();
        }
    }

    @Test
    void what_it_writes_and_its_completion_are_there_together() throws Exception {
        try (DurableEngine engine = bench.engine()
                .register(Booking.class)
                .activity(Accounts.class, TransactionalActivityTest::insert)
                .start()) {
            var run = engine.client().start(Booking.class, "b-1", w -> w.run("ann", 5));
            assertThat(run.result(Bench.SOON)).isEqualTo(5);
        }
        assertRowsAreCompletions(5);
    }

    @Test
    void a_body_that_throws_leaves_nothing_and_is_retried() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        try (DurableEngine engine = bench.engine()
                .register(Booking.class)
                .activity(Accounts.class, account -> {
                    int rows = insert(account);
                    if (attempts.incrementAndGet() < 3) {
                        throw new IllegalStateException("after the insert");
                    }
                    return rows;
                })
                .start()) {
            engine.client().start(Booking.class, "b-1", w -> w.run("ann", 1)).result(Bench.SOON);
        }
        assertThat(attempts).hasValue(3);
        assertRowsAreCompletions(1);
    }

    /** An entry that an activity appends to a stream is read although the activity fails behind it. */
    @Test
    void what_it_appends_to_a_stream_is_there_at_once_and_is_not_rolled_back_with_it() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        try (DurableEngine engine = bench.engine()
                .register(Booking.class)
                .activity(Accounts.class, account -> {
                    ActivityContext.current().stream("log", String.class).append("attempt " + attempts.get());
                    assertThat(number("select count(*) from durable.stream_entry"))
                            .isEqualTo(attempts.incrementAndGet());
                    int rows = insert(account);
                    if (attempts.get() < 2) {
                        throw new IllegalStateException("after the insert");
                    }
                    return rows;
                })
                .start()) {
            var run = engine.client().start(Booking.class, "b-1", w -> w.run("ann", 1));
            run.result(Bench.SOON);
            assertThat(run.stream("log", String.class).page(0, 10).entries())
                    .extracting(StreamEntry::value)
                    .containsExactly("attempt 0", "attempt 1");
        }
        assertRowsAreCompletions(1);
    }

    @Test
    void jooq_writes_through_the_same_connection() throws Exception {
        try (DurableEngine engine = bench.engine()
                .register(Booking.class)
                .activity(
                        Accounts.class,
                        account -> DSL.using(
                                        ActivityContext.current().transaction(Connection.class), SQLDialect.POSTGRES)
                                .insertInto(DSL.table("booking"))
                                .values(ActivityContext.current().info().idempotencyKey(), account)
                                .execute())
                .start()) {
            engine.client().start(Booking.class, "b-1", w -> w.run("ann", 2)).result(Bench.SOON);
        }
        assertRowsAreCompletions(2);
    }

    @Test
    void a_lease_that_was_lost_rolls_everything_back_and_is_counted_as_stale() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        List<EngineObserver.Stale> refused = new CopyOnWriteArrayList<>();
        try (DurableEngine engine = bench.engine()
                .register(Booking.class)
                .observe(new EngineObserver() {
                    @Override
                    public void staleRefused(Stale what) {
                        refused.add(what);
                    }
                })
                .activity(Accounts.class, account -> {
                    int rows = insert(account);
                    if (attempts.incrementAndGet() == 1) {
                        // as if the sweep of another process had declared its worker dead
                        execute(
                                "update durable.activity_job set state = 0, lease = null, session = null, claim = null");
                    }
                    return rows;
                })
                .start()) {
            engine.client().start(Booking.class, "b-1", w -> w.run("ann", 1)).result(Bench.SOON);
            assertThat(engine.worker().staleReports()).isEqualTo(1);
        }
        assertThat(refused).containsExactly(EngineObserver.Stale.ATTEMPT);
        assertThat(attempts).hasValue(2);
        assertRowsAreCompletions(1);
    }

    @Test
    void a_body_that_ends_its_transaction_by_a_statement_is_found_out_and_not_run_again() throws Exception {
        int rows = 0;
        for (String statement : List.of("commit", "rollback", "commit and chain")) {
            AtomicInteger attempts = new AtomicInteger();
            try (DurableEngine engine = bench.engine()
                    .register(Booking.class)
                    .activity(Accounts.class, account -> {
                        attempts.incrementAndGet();
                        int one = insert(account);
                        ends(statement);
                        return one;
                    })
                    .start()) {
                var run = engine.client().start(Booking.class, "b " + statement, w -> w.run("ann", 1));
                assertThatThrownBy(() -> run.result(Bench.SOON))
                        .as(statement)
                        .hasStackTraceContaining("has ended its transaction itself, by a statement such as COMMIT")
                        .hasStackTraceContaining("Take the statement out");
                assertThat(engine.client().history("b " + statement).stream().map(HistoryEvent::type))
                        .contains("ActivityFailed")
                        .doesNotContain("ActivityCompleted");
            }
            assertThat(attempts).as(statement).hasValue(1);
            rows += statement.equals("rollback") ? 0 : 1;
            assertThat(number("select count(*) from booking")).isEqualTo(rows);
        }
    }

    @Test
    void a_body_that_commits_by_a_statement_and_throws_then_is_not_run_again_either() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        try (DurableEngine engine = bench.engine()
                .register(Booking.class)
                .activity(Accounts.class, account -> {
                    attempts.incrementAndGet();
                    insert(account);
                    ends("commit");
                    insert(account);
                    throw new IllegalStateException("after the commit");
                })
                .start()) {
            var run = engine.client().start(Booking.class, "b-1", w -> w.run("ann", 1));
            assertThatThrownBy(() -> run.result(Bench.SOON))
                    .hasStackTraceContaining("has ended its transaction itself, by a statement such as COMMIT");
        }
        assertThat(attempts).hasValue(1);
        assertThat(number("select count(*) from booking")).isEqualTo(1);
    }

    @Test
    void a_body_that_catches_the_failure_of_a_statement_and_goes_on_is_told_so_and_not_run_again() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        try (DurableEngine engine = bench.engine()
                .register(Booking.class)
                .activity(Accounts.class, account -> {
                    attempts.incrementAndGet();
                    int rows = insert(account);
                    try {
                        insert(null);
                    } catch (SQLException alreadyThere) {
                        return rows;
                    }
                    return 0;
                })
                .start()) {
            var run = engine.client().start(Booking.class, "b-1", w -> w.run("ann", 1));
            assertThatThrownBy(() -> run.result(Bench.SOON))
                    .rootCause()
                    .hasMessageContaining("ERROR: null value in column \"account\"");
            assertThatThrownBy(() -> run.result(Bench.SOON))
                    .hasStackTraceContaining(
                            "the body of this transactional activity caught a failure of a statement and"
                                    + " went on (SQLSTATE 23502: ERROR: null value in column \"account\"")
                    .hasStackTraceContaining("Let the exception leave the body. To go on after such a failure, run the"
                            + " statement behind a savepoint")
                    .hasStackTraceContaining("It is not tried again, as it would meet the same.");
        }
        assertThat(attempts).hasValue(1);
        assertRowsAreCompletions(0);
    }

    @Test
    void a_savepoint_by_a_statement_is_the_bodys_own_business() throws Exception {
        try (DurableEngine engine = bench.engine()
                .register(Booking.class)
                .activity(Accounts.class, account -> {
                    ends("savepoint here");
                    insert("nobody");
                    ends("rollback to savepoint here");
                    return insert(account);
                })
                .start()) {
            engine.client().start(Booking.class, "b-1", w -> w.run("ann", 1)).result(Bench.SOON);
        }
        assertRowsAreCompletions(1);
    }

    private static void ends(String statement) throws SQLException {
        try (Statement own =
                ActivityContext.current().transaction(Connection.class).createStatement()) {
            own.execute(statement);
        }
    }

    @Activity(transactional = true, startToClose = "1m", retry = @Retry(maxAttempts = 1))
    interface Ledger {
        int book(String account) throws SQLException;
    }

    /** Another transaction holds the job and waits for the row that the body has; the body waits to end its job. */
    @Test
    void a_deadlock_at_the_end_of_a_body_uses_no_attempt_and_it_is_run_again() throws Exception {
        AtomicInteger bodies = new AtomicInteger();
        CountDownLatch both = new CountDownLatch(1);
        execute("insert into booking values ('shared', 'shared')");
        try (DurableEngine engine = bench.engine()
                .activity(Ledger.class, account -> {
                    int rows = insert(account);
                    if (bodies.incrementAndGet() == 1) {
                        try (Statement statement = ActivityContext.current()
                                .transaction(Connection.class)
                                .createStatement()) {
                            statement.execute("update booking set account = 'taken' where account = 'shared'");
                        }
                        crossing(both);
                        while (waiters() == 0) {
                            LockSupport.parkNanos(1_000_000);
                        }
                    }
                    return rows;
                })
                .start()) {
            engine.client().enqueue(Ledger.class, l -> l.book("ann")).await();
            both.await();
        }
        assertThat(bodies).hasValue(2);
        execute("delete from booking where account in ('shared', 'taken')");
        assertRowsAreCompletions(1);
    }

    private void crossing(CountDownLatch done) throws SQLException {
        Connection other = bench.dataSource().getConnection();
        other.setAutoCommit(false);
        try (Statement statement = other.createStatement()) {
            // The other transaction finds the deadlock, and so is the one that is rolled back.
            statement.execute("set local deadlock_timeout = '1min'");
            statement.execute("select 1 from durable.activity_job for update");
        }
        Thread.ofPlatform().daemon().start(() -> {
            try (other;
                    Statement statement = other.createStatement()) {
                statement.execute("update booking set account = 'shared' where account in ('shared', 'taken')");
                other.rollback();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            } finally {
                done.countDown();
            }
        });
    }

    private long waiters() throws SQLException {
        return number("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                + " and query like 'update booking%'");
    }

    @Test
    void the_body_can_not_end_its_transaction() throws Exception {
        AtomicReference<String> said = new AtomicReference<>("");
        try (DurableEngine engine = bench.engine()
                .register(Booking.class)
                .activity(Accounts.class, account -> {
                    int rows = insert(account);
                    try (Connection connection = ActivityContext.current().transaction(Connection.class)) {
                        connection.commit();
                    } catch (IllegalStateException e) {
                        said.set(e.getMessage());
                    }
                    return rows;
                })
                .start()) {
            engine.client().start(Booking.class, "b-1", w -> w.run("ann", 1)).result(Bench.SOON);
        }
        assertThat(said.get()).contains("commit() on the connection of a transactional activity", "savepoint");
        assertRowsAreCompletions(1);
    }

    /** A use of the connection by a body. */
    private interface Way {
        void with(Connection connection) throws SQLException;
    }

    @Test
    void what_its_statements_and_the_connection_give_as_their_connection_can_not_end_it_either() throws Exception {
        List<Way> ways = List.of(
                c -> c.createStatement().getConnection().commit(),
                c -> c.prepareStatement("select 1").getConnection().commit(),
                c -> c.createStatement().unwrap(Statement.class).getConnection().rollback(),
                c -> c.unwrap(Connection.class).commit(),
                c -> c.getMetaData().getConnection().commit(),
                c -> {
                    try (var rows = c.createStatement().executeQuery("select 1")) {
                        rows.getStatement().getConnection().commit();
                    }
                },
                c -> c.getMetaData().getConnection().setAutoCommit(true));
        AtomicInteger refused = new AtomicInteger();
        try (DurableEngine engine = bench.engine()
                .register(Booking.class)
                .activity(Accounts.class, account -> {
                    int rows = insert(account);
                    for (Way way : ways) {
                        try {
                            way.with(ActivityContext.current().transaction(Connection.class));
                        } catch (IllegalStateException e) {
                            refused.incrementAndGet();
                        }
                    }
                    return rows;
                })
                .start()) {
            engine.client().start(Booking.class, "b-1", w -> w.run("ann", 1)).result(Bench.SOON);
        }
        assertThat(refused).hasValue(ways.size());
        assertRowsAreCompletions(1);
    }

    @Test
    void a_body_that_ends_its_transaction_behind_the_drivers_own_classes_is_found_out_and_not_run_again()
            throws Exception {
        List<Way> ways = List.of(
                c -> c.unwrap(PgConnection.class).commit(),
                c -> c.unwrap(PgConnection.class).rollback(),
                c -> c.unwrap(PgConnection.class).setAutoCommit(true));
        for (int i = 0; i < ways.size(); i++) {
            Way way = ways.get(i);
            String id = "b " + i;
            AtomicInteger attempts = new AtomicInteger();
            try (DurableEngine engine = bench.engine()
                    .register(Booking.class)
                    .activity(Accounts.class, account -> {
                        attempts.incrementAndGet();
                        int rows = insert(account);
                        way.with(ActivityContext.current().transaction(Connection.class));
                        return rows;
                    })
                    .start()) {
                var run = engine.client().start(Booking.class, id, w -> w.run("ann", 1));
                assertThatThrownBy(() -> run.result(Bench.SOON))
                        .as(id)
                        .hasStackTraceContaining("has ended its transaction itself");
                assertThat(engine.client().history(id).stream().map(HistoryEvent::type))
                        .contains("ActivityFailed")
                        .doesNotContain("ActivityCompleted");
            }
            assertThat(attempts).as(id).hasValue(1);
        }
    }

    @Test
    void what_a_body_sets_for_its_session_does_not_reach_whoever_has_the_connection_next() throws Exception {
        String role = bench.name() + "_booker";
        execute("create role " + role + "; grant insert on booking to " + role);
        AtomicInteger pid = new AtomicInteger();
        try (DurableEngine engine = bench.engine()
                .register(Booking.class)
                .activity(Accounts.class, account -> {
                    Connection connection = ActivityContext.current().transaction(Connection.class);
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("""
                                set timezone = 'Asia/Tokyo'; set datestyle = 'ISO, DMY'; set intervalstyle = sql_standard;
                                set search_path = elsewhere, public; set statement_timeout = '7s'; set lock_timeout = '3s';
                                set idle_in_transaction_session_timeout = '9s'; set synchronous_commit = off;
                                set default_transaction_read_only = on; set work_mem = '1MB'; set jit = on;
                                set session characteristics as transaction isolation level serializable;
                                set local bytea_output = escape; set extra_float_digits = 0""");
                        statement.execute("set role " + role);
                        statement.execute("savepoint part");
                        statement.execute("set application_name = 'booker'");
                    }
                    pid.set(connection.unwrap(PgConnection.class).getBackendPID());
                    return insert(account);
                })
                .start()) {
            engine.client().start(Booking.class, "b-1", w -> w.run("ann", 1)).result(Bench.SOON);
            Map<String, String> asItWas;
            try (Connection fresh = bench.direct().getConnection()) {
                asItWas = settings(fresh);
            }
            assertThat(settingsOf(pid.get())).isEqualTo(asItWas);
        } finally {
            execute("drop owned by " + role + "; drop role " + role);
        }
        assertRowsAreCompletions(1);
    }

    /** The settings of the pool's connection that this backend serves. */
    private Map<String, String> settingsOf(int pid) throws SQLException {
        List<Connection> taken = new ArrayList<>();
        try {
            while (taken.size() < 12) {
                Connection connection = bench.dataSource().getConnection();
                taken.add(connection);
                if (connection.unwrap(PgConnection.class).getBackendPID() == pid) {
                    return settings(connection);
                }
            }
            throw new AssertionError("no connection of the pool has the backend " + pid);
        } finally {
            for (Connection connection : taken) {
                connection.close();
            }
        }
    }

    private static Map<String, String> settings(Connection connection) throws SQLException {
        Map<String, String> settings = new LinkedHashMap<>();
        try (Statement statement = connection.createStatement();
                var rows = statement.executeQuery("select name, setting from pg_settings where name not like '%.%'"
                        + " union all select 'role', current_setting('role') order by 1")) {
            while (rows.next()) {
                settings.put(rows.getString(1), rows.getString(2));
            }
        }
        return settings;
    }

    @Test
    void the_connection_of_a_body_that_committed_its_settings_itself_is_given_up() throws Exception {
        for (boolean throwing : List.of(false, true)) {
            AtomicInteger pid = new AtomicInteger();
            String id = "throwing " + throwing;
            try (DurableEngine engine = bench.engine()
                    .register(Booking.class)
                    .activity(Accounts.class, account -> {
                        Connection connection = ActivityContext.current().transaction(Connection.class);
                        pid.set(connection.unwrap(PgConnection.class).getBackendPID());
                        try (Statement statement = connection.createStatement()) {
                            statement.execute("set timezone = 'Asia/Tokyo'; commit");
                        }
                        if (throwing) {
                            throw new IllegalStateException("after the commit");
                        }
                        return 1;
                    })
                    .start()) {
                var run = engine.client().start(Booking.class, id, w -> w.run("ann", 1));
                assertThatThrownBy(() -> run.result(Bench.SOON))
                        .hasStackTraceContaining("has ended its transaction itself");
                Bench.awaitThat(() -> isGone(pid.get()));
            }
        }
    }

    private boolean isGone(int pid) {
        try {
            return number("select count(*) from pg_stat_activity where pid = " + pid) == 0;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_run_that_the_body_starts_exists_exactly_if_the_activity_completes() throws Exception {
        AtomicReference<DurableClient> client = new AtomicReference<>();
        AtomicInteger attempts = new AtomicInteger();
        try (DurableEngine engine = bench.engine()
                .register(Booking.class)
                .activity(Accounts.class, account -> {
                    int attempt = attempts.incrementAndGet();
                    if (account.equals("ann")) {
                        client.get().start(Booking.class, "after-" + attempt, w -> w.run("bob", 1));
                        if (attempt == 1) {
                            throw new IllegalStateException("after the start");
                        }
                    }
                    return insert(account);
                })
                .start()) {
            client.set(engine.client());
            engine.client().start(Booking.class, "b-1", w -> w.run("ann", 1)).result(Bench.SOON);
            engine.client().handle(Booking.class, "after-2").resultAs(Integer.class);
            assertThat(engine.client().workflows().page(10)).hasSize(2);
        }
        assertRowsAreCompletions(2);
    }

    /** A pool whose connections lose the answer to the first COMMIT after the body of an activity has begun. */
    private DataSource losingTheAnswer(boolean committed, AtomicInteger attempts) {
        AtomicBoolean lost = new AtomicBoolean();
        return proxy(DataSource.class, bench.dataSource(), (method, result) -> {
            if (!(result instanceof Connection connection)) {
                return result;
            }
            return proxy(Connection.class, connection, (called, ignored) -> {
                if (called.equals("commit") && attempts.get() > 0 && lost.compareAndSet(false, true)) {
                    if (committed) {
                        connection.commit();
                    }
                    connection.abort(Runnable::run);
                    throw new SQLException("connection reset", "08006");
                }
                if (called.equals("commit")) {
                    connection.commit();
                }
                return ignored;
            });
        });
    }

    private interface After {
        Object then(String method, Object result) throws SQLException;
    }

    /** Passes on all calls except commit(), which the other does. */
    private static <T> T proxy(Class<T> type, T behind, After after) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    try {
                        Object result = method.getName().equals("commit") ? null : method.invoke(behind, arguments);
                        return after.then(method.getName(), result);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private int attemptsWhereTheFirstCommitHasNoAnswer(boolean committed) throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        try (DurableEngine engine = Bench.engineOn(losingTheAnswer(committed, attempts))
                .register(Booking.class)
                .activity(Accounts.class, account -> {
                    attempts.incrementAndGet();
                    return insert(account);
                })
                .start()) {
            engine.client().start(Booking.class, "b-1", w -> w.run("ann", 1)).result(Bench.SOON);
        }
        assertRowsAreCompletions(1);
        return attempts.get();
    }

    @Test
    void a_commit_that_happened_and_had_no_answer_is_not_run_again() throws Exception {
        assertThat(attemptsWhereTheFirstCommitHasNoAnswer(true)).isEqualTo(1);
    }

    @Test
    void a_commit_that_did_not_happen_and_had_no_answer_is_run_again() throws Exception {
        assertThat(attemptsWhereTheFirstCommitHasNoAnswer(false)).isEqualTo(2);
    }

    @Test
    void a_job_that_has_no_workflow_code_commits_with_its_writes_too() throws Exception {
        try (DurableEngine engine = bench.engine()
                .activity(Accounts.class, TransactionalActivityTest::insert)
                .start()) {
            engine.client().enqueue(Accounts.class, a -> a.book("ann")).await();
        }
        assertRowsAreCompletions(1);
    }

    private void assertRowsAreCompletions(int expected) throws SQLException {
        assertThat(number("select count(*) from booking")).isEqualTo(expected);
        assertThat(number(ROWS_THAT_ARE_NOT_COMPLETIONS)).isZero();
    }

    /** Rows without exactly one completion, and completions without exactly one row. */
    static final String ROWS_THAT_ARE_NOT_COMPLETIONS = """
            select count(*) from (
                select idempotency_key, count(*) as rows from booking group by idempotency_key) b
              full join (
                select e.run_id || ':' || durable.seq_of(e.attributes) as idempotency_key, count(*) as events
                  from durable.history_event e where e.type = 'ActivityCompleted' group by 1) c using (idempotency_key)
             where rows is distinct from 1 or events is distinct from 1""";

    private void execute(String sql) throws SQLException {
        try (Connection connection = bench.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = bench.dataSource().getConnection();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
