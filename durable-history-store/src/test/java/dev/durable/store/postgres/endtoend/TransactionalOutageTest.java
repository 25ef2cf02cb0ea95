package dev.durable.store.postgres.endtoend;

import static dev.durable.store.postgres.endtoend.TransactionalActivityTest.insert;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.StoreUnavailableException;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowDescription;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.ActivityAttemptFailed;
import dev.durable.store.postgres.SqlInvariants;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** An end from outside of the transaction of an activity's body uses up no attempt; an error of the body's own does. */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class TransactionalOutageTest {

    @Activity(
            transactional = true,
            startToClose = "20s",
            retry = @Retry(maxAttempts = 2, initialInterval = "1ms", maxInterval = "1ms"))
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
        int run(String account) throws Exception {
            return accounts.book(account);
        }
    }

    /** The ways in which a transaction is ended from outside. */
    enum End {
        TERMINATED {
            @Override
            void happen(Connection own, Connection dba) throws SQLException {
                execute(dba, "select pg_terminate_backend(" + pid(own) + ")");
                execute(own, "select 1");
            }
        },
        CANCELLED {
            @Override
            void happen(Connection own, Connection dba) throws SQLException {
                whileCancelled(own, dba, () -> execute(own, "select pg_sleep(20)"));
            }
        },
        CANCELLED_IN_A_FETCH {
            @Override
            void happen(Connection own, Connection dba) throws SQLException {
                try (Statement statement = own.createStatement()) {
                    statement.setFetchSize(1);
                    try (ResultSet rows = statement.executeQuery(
                            "select pg_sleep(case i when 3 then 20 else 0 end) from generate_series(1, 3) i")) {
                        whileCancelled(own, dba, () -> {
                            while (rows.next()) {
                                assertThat(rows.getRow()).isLessThan(3);
                            }
                        });
                    }
                }
            }
        },
        CONFLICTED {
            @Override
            void happen(Connection own, Connection dba) throws SQLException {
                int key = pid(own);
                execute(own, "set local deadlock_timeout = '10ms'");
                execute(own, "select pg_advisory_xact_lock(" + key + ", 1)");
                execute(dba, "set deadlock_timeout = '10min'");
                execute(dba, "select pg_advisory_lock(" + key + ", 2)");
                try (Statement crossing = dba.createStatement()) {
                    CompletableFuture<?> crossed = CompletableFuture.runAsync(() -> waitFor(crossing, key));
                    try {
                        Bench.awaitThat(() -> isWaitedFor(own, key));
                        execute(own, "select pg_advisory_xact_lock(" + key + ", 2)");
                    } finally {
                        crossing.cancel();
                        crossed.join();
                    }
                }
            }
        };

        /** Waits until it is cancelled: the other transaction keeps its locks until it is rolled back. */
        private static void waitFor(Statement crossing, int key) {
            try {
                crossing.execute("select pg_advisory_lock(" + key + ", 1)");
            } catch (SQLException e) {
                assertThat(e.getSQLState()).isEqualTo("57014");
            }
        }

        private static boolean isWaitedFor(Connection own, int key) {
            try (Statement statement = own.createStatement();
                    var rows = statement.executeQuery(
                            "select 1 from pg_locks where locktype = 'advisory' and not granted and classid = "
                                    + key)) {
                return rows.next();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Runs the work while a DBA cancels its statement. */
        private static void whileCancelled(Connection own, Connection dba, Work work) throws SQLException {
            int pid = pid(own);
            CompletableFuture<?> canceller = CompletableFuture.runAsync(() -> Bench.awaitThat(() -> {
                try {
                    return cancelled(dba, pid);
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }));
            try {
                work.happen();
            } finally {
                canceller.join();
            }
        }

        private static boolean cancelled(Connection dba, int pid) throws SQLException {
            try (Statement statement = dba.createStatement();
                    var rows = statement.executeQuery("select pg_cancel_backend(pid) from pg_stat_activity where pid = "
                            + pid + " and wait_event = 'PgSleep'")) {
                return rows.next();
            }
        }

        /** The work that a DBA cancels. */
        private interface Work {
            void happen() throws SQLException;
        }

        abstract void happen(Connection own, Connection dba) throws SQLException;
    }

    /** The ways in which a body handles the error that it gets. */
    enum Handling {
        THROWS,
        WRAPS_WITHOUT_A_CAUSE,
        SWALLOWS
    }

    private static final Pattern THREE_OR_MORE =
            Pattern.compile("given back without using an attempt \\(([3-9]|\\d{2,}) so far\\): ");

    private final Bench bench = new Bench();

    @BeforeEach
    void table() throws SQLException {
        execute("create table booking (idempotency_key text primary key, account text not null)");
    }

    @AfterEach
    void drop() throws SQLException {
        assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        bench.close();
    }

    @Test
    void whatever_its_body_makes_of_it_twice_and_it_completes_in_its_first_attempt() throws Exception {
        Map<String, List<Integer>> attempts = new ConcurrentHashMap<>();
        List<WorkflowHandle<Booking, Integer>> runs = new ArrayList<>();
        try (DurableEngine engine = bench.engine()
                .register(Booking.class)
                .activity(Accounts.class, account -> {
                    List<Integer> mine = attempts.computeIfAbsent(account, key -> new CopyOnWriteArrayList<>());
                    mine.add(ActivityContext.current().info().attempt());
                    int rows = insert(account);
                    if (mine.size() <= 2) {
                        String[] how = account.split(" ", -1);
                        meet(End.valueOf(how[0]), Handling.valueOf(how[1]));
                    }
                    return rows;
                })
                .start()) {
            for (End end : End.values()) {
                for (Handling handling : Handling.values()) {
                    String how = end + " " + handling;
                    runs.add(engine.client().start(Booking.class, how, w -> w.run(how)));
                }
            }
            for (WorkflowHandle<Booking, Integer> run : runs) {
                assertThat(run.result(Bench.SOON)).as(run.workflowId()).isEqualTo(1);
                assertThat(run.history().events(ActivityAttemptFailed.class))
                        .as(run.workflowId())
                        .singleElement()
                        .satisfies(outage -> {
                            assertThat(outage.reason()).isEqualTo("outage");
                            assertThat(outage.attempt()).isEqualTo(1);
                            assertThat(outage.omitted())
                                    .as("outages before the last")
                                    .isEqualTo(1);
                        });
            }
        }
        assertThat(attempts.values()).hasSize(runs.size()).allMatch(List.of(1, 1, 1)::equals);
        assertThat(number("select count(*) from booking")).isEqualTo(runs.size());
        assertThat(number(TransactionalActivityTest.ROWS_THAT_ARE_NOT_COMPLETIONS))
                .isZero();
    }

    private void meet(End end, Handling handling) throws SQLException {
        try (Connection dba = bench.direct().getConnection()) {
            end.happen(ActivityContext.current().transaction(Connection.class), dba);
        } catch (SQLException e) {
            switch (handling) {
                case THROWS -> throw e;
                case WRAPS_WITHOUT_A_CAUSE -> throw new IllegalStateException("the ledger is closed");
                case SWALLOWS -> {}
            }
        }
    }

    @Test
    void the_pending_activity_says_why_it_was_given_back_and_how_often() throws Exception {
        AtomicBoolean well = new AtomicBoolean();
        try (DurableEngine engine = bench.engine()
                .register(Booking.class)
                .activity(Accounts.class, account -> {
                    if (!well.get()) {
                        meet(End.TERMINATED, Handling.SWALLOWS);
                    }
                    return insert(account);
                })
                .start()) {
            WorkflowHandle<Booking, Integer> run = engine.client().start(Booking.class, "b-1", w -> w.run("ann"));

            WorkflowDescription shown = Bench.awaitThat(
                    run,
                    description -> description.activities().stream()
                            .anyMatch(pending -> THREE_OR_MORE
                                    .matcher(String.valueOf(pending.lastFailure()))
                                    .lookingAt()));
            well.set(true);

            assertThat(shown.activities()).singleElement().satisfies(pending -> {
                assertThat(pending.attempt()).isEqualTo(1);
                assertThat(pending.lastFailure())
                        .containsPattern(THREE_OR_MORE)
                        .contains("terminating connection due to administrator command");
            });
            assertThat(run.result(Bench.SOON)).isEqualTo(1);
        }
    }

    /** The errors of the body's own. */
    enum Own {
        A_CONSTRAINT {
            @Override
            void happen(Bench bench) throws SQLException {
                insert("twice");
            }
        },
        A_STATEMENT_THAT_IS_NONE {
            @Override
            void happen(Bench bench) throws SQLException {
                execute(transaction(), "selekt 1");
            }
        },
        /** HikariCP gives the connection up after this error, as if it were broken. */
        WHAT_THE_SERVER_CAN_NOT_DO {
            @Override
            void happen(Bench bench) throws SQLException {
                execute(transaction(), "do $$ begin raise exception 'not here' using errcode = '0A000'; end $$");
            }
        },
        /** The driver closes the connection after the next two errors. */
        A_DATE_STYLE {
            @Override
            void happen(Bench bench) throws SQLException {
                execute(transaction(), "set datestyle = 'German'");
            }
        },
        AN_ENCODING_WHOSE_ERROR_IT_SWALLOWS {
            @Override
            void happen(Bench bench) {
                assertThatThrownBy(() -> execute(transaction(), "set local client_encoding = 'LATIN1'"))
                        .isInstanceOf(SQLException.class);
            }
        },
        ITS_TIME_LIMIT {
            @Override
            void happen(Bench bench) throws SQLException {
                execute(transaction(), "set local statement_timeout = 5");
                execute(transaction(), "select pg_sleep(20)");
            }
        },
        THE_TIME_LIMIT_OF_ITS_STATEMENT {
            @Override
            void happen(Bench bench) throws SQLException {
                try (Statement statement = transaction().createStatement()) {
                    statement.setQueryTimeout(1); // seconds
                    statement.execute("select pg_sleep(20)");
                }
            }
        },
        ITS_SECOND_DATABASE {
            @Override
            void happen(Bench bench) throws SQLException {
                try (Connection second = bench.dataSource().getConnection();
                        Connection dba = bench.dataSource().getConnection()) {
                    End.TERMINATED.happen(second, dba);
                }
            }
        },
        A_READ_ONLY_TRANSACTION {
            @Override
            void happen(Bench bench) throws SQLException {
                execute(transaction(), "set transaction read only");
            }
        };

        static Connection transaction() {
            return ActivityContext.current().transaction(Connection.class);
        }

        abstract void happen(Bench bench) throws SQLException;
    }

    @Test
    void what_the_body_does_itself_is_its_failure_and_uses_its_attempts() throws Exception {
        Map<String, List<Integer>> attempts = new ConcurrentHashMap<>();
        List<WorkflowHandle<Booking, Integer>> runs = new ArrayList<>();
        try (DurableEngine engine = bench.engine()
                .register(Booking.class)
                .activity(Accounts.class, own -> {
                    attempts.computeIfAbsent(own, key -> new CopyOnWriteArrayList<>())
                            .add(ActivityContext.current().info().attempt());
                    int rows = insert(own);
                    Own.valueOf(own).happen(bench);
                    return rows;
                })
                .start()) {
            for (Own own : Own.values()) {
                runs.add(engine.client().start(Booking.class, own.name(), w -> w.run(own.name())));
            }
            for (WorkflowHandle<Booking, Integer> run : runs) {
                assertThatThrownBy(() -> run.result(Bench.SOON))
                        .as(run.workflowId())
                        .hasStackTraceContaining("Accounts.book (activity 1) failed in attempt 2");
                assertThat(run.history().events(ActivityAttemptFailed.class))
                        .as(run.workflowId())
                        .extracting(ActivityAttemptFailed::reason)
                        .containsExactly("failed");
            }
            assertThat(runs.get(List.of(Own.values()).indexOf(Own.AN_ENCODING_WHOSE_ERROR_IT_SWALLOWS))
                            .history()
                            .events(ActivityAttemptFailed.class))
                    .extracting(failed -> String.valueOf(failed.failure().message()))
                    .singleElement()
                    .asString()
                    .startsWith(
                            "the JDBC driver has closed the connection of this transactional activity, as its body, or"
                                    + " what it called, has set client_encoding = 'LATIN1', with which the driver can't work.");
        }
        assertThat(attempts.values()).hasSize(runs.size()).allMatch(List.of(1, 2)::equals);
        assertThat(number("select count(*) from booking")).isZero();
    }

    /** The old primary of a failover is read-only, or a DBA freezes the database for a cut-over. */
    @Test
    void a_database_that_is_frozen_under_load_takes_nothing_and_uses_no_attempt() throws Exception {
        List<WorkflowHandle<Booking, Integer>> runs = new ArrayList<>();
        AtomicInteger bodies = new AtomicInteger();
        CountDownLatch frozen = new CountDownLatch(1);
        try (DurableEngine engine = bench.engine()
                .register(Booking.class)
                .activity(Accounts.class, account -> {
                    int rows = insert(account);
                    if (bodies.incrementAndGet() > 20) {
                        await(frozen);
                    }
                    assertThat(ActivityContext.current().info().attempt()).isEqualTo(1);
                    return rows;
                })
                .start()) {
            for (int i = 0; i < 40; i++) {
                String id = "b-" + i;
                runs.add(engine.client().start(Booking.class, id, w -> w.run("ann")));
            }
            for (WorkflowHandle<Booking, Integer> run : runs.subList(0, 10)) {
                run.result(Bench.SOON);
            }
            freeze(true);
            long written = number("select count(*) from durable.history_event");
            CompletableFuture<WorkflowHandle<Booking, Integer>> late = CompletableFuture.supplyAsync(
                    () -> engine.client().start(Booking.class, "late", w -> w.run("bob")));
            frozen.countDown();
            Bench.awaitThat(
                    () -> String.join("\n", engine.problems()).contains("connected to a standby or read-only server"));

            assertThat(String.join("\n", engine.problems()))
                    .contains("targetServerType=primary", "default_transaction_read_only");
            Bench.awaitThat(() -> isReadable(engine));
            assertThat(number("select count(*) from durable.history_event")).isEqualTo(written);
            freeze(false);

            runs.add(late.join());
            for (WorkflowHandle<Booking, Integer> run : runs) {
                assertThat(run.result(Bench.SOON)).isEqualTo(1);
            }
            Bench.awaitThat(() -> engine.problems().isEmpty());
        }
        assertThat(number("select count(*) from booking")).isEqualTo(41);
        assertThat(number(TransactionalActivityTest.ROWS_THAT_ARE_NOT_COMPLETIONS))
                .isZero();
        assertThat(number("select count(*) from durable.history_event where type = 'ActivityAttemptFailed'"
                        + " and attributes ->> 'reason' <> 'outage'"))
                .isZero();
    }

    /** Returns whether reads succeed, once the pool has none of the connections left that were cut. */
    private static boolean isReadable(DurableEngine engine) {
        try {
            return engine.client().workflows().count() == 40;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Makes new connections read-only, and cuts the existing ones. */
    private void freeze(boolean on) throws SQLException {
        try (Connection dba = bench.server().getConnection()) {
            String database = bench.name();
            execute(dba, "alter database " + database + " set default_transaction_read_only = " + on);
            execute(dba, "select pg_terminate_backend(pid) from pg_stat_activity where datname = '" + database + "'");
        }
    }

    private static int pid(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                var rows = statement.executeQuery("select pg_backend_pid()")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = bench.dataSource().getConnection()) {
            execute(connection, sql);
        }
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = bench.direct().getConnection();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
