package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.RetryPolicy;
import dev.durable.Run;
import dev.durable.Trials;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections that are cut often slow the engine and never stop it: all runs complete, none fails, and each row of a
 * transactional step is there once.
 */
@Timeout(600)
@Isolated("what is measured is its throughput")
@Tag("slow")
class CutConnectionsTest {
    private static final Logger log = LoggerFactory.getLogger(CutConnectionsTest.class);
    private static final int RUNS = Integer.getInteger("cuts.runs", 300);
    private static final int EACH_COMMIT = Integer.getInteger("cuts.commit", 40);
    private static final int EACH_CLAIM = Integer.getInteger("cuts.claim", 10);
    /** The least time for which backends are terminated, in seconds. */
    private static final int SECONDS = Integer.getInteger("cuts.seconds", 1);
    /** The attempts of the transactional step, whose connections are cut within its body as well. */
    private static final int ATTEMPTS = Integer.getInteger("cuts.transactional.attempts", 2);

    private static final Duration LONG = Duration.ofMinutes(4);

    private final TestDatabase database = TestDatabase.migrated();

    @Activity(startToClose = "30s", retry = @dev.durable.Retry(initialInterval = "1ms", maxInterval = "5ms"))
    interface Steps {
        int plain(int before);
    }

    @Activity(transactional = true, startToClose = "30s")
    interface Ledger {
        int book(String run) throws SQLException;
    }

    @Workflow
    static class Five {
        private final Steps steps;

        Five(Steps steps) {
            this.steps = steps;
        }

        @Run
        int run(String id) throws SQLException {
            Ledger ledger =
                    Durable.activities(Ledger.class, o -> o.retry(RetryPolicy.fixed(Duration.ofMillis(5), ATTEMPTS)));
            int sum = steps.plain(steps.plain(0));
            sum += ledger.book(id);
            return steps.plain(steps.plain(sum));
        }
    }

    @BeforeEach
    void table() throws SQLException {
        PostgresHistoryStore.of(database.dataSource()).open();
        execute("create table ledger (run text not null)");
    }

    @AfterEach
    void drop() {
        database.close();
    }

    @Test
    void a_proxy_that_cuts_answers_to_commits_and_claims_makes_runs_slower_by_three_at_most() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        try (CuttingProxy proxy = new CuttingProxy(port());
                HikariDataSource pool = pool(proxy.port());
                DurableEngine engine = engine(pool).start()) {
            complete(engine, "warm", RUNS);
            // In a trial of a second, the fixed cost of a few cuts says nothing.
            Compared compared = Trials.until(c -> c.isWithin(3), number -> {
                tries.set(number);
                proxy.cut(Integer.MAX_VALUE, Integer.MAX_VALUE);
                Duration undisturbed = complete(engine, "undisturbed-" + number, RUNS);
                int before = proxy.cuts();
                proxy.cut(EACH_COMMIT, EACH_CLAIM);

                Duration cut = complete(engine, "cut-" + number, RUNS);

                int cuts = proxy.cuts() - before;
                log.warn("{} runs: undisturbed {}, with {} answers cut {}", RUNS, undisturbed, cuts, cut);
                assertThat(cuts).isGreaterThan(10);
                return new Compared(undisturbed, cut);
            });
            assertThat(compared).matches(c -> c.isWithin(3), "within three times the undisturbed, and two seconds");
        }
        allOnce((1 + 2 * tries.get()) * RUNS);
    }

    /** The time that the work took: undisturbed, and disturbed on the average. */
    private record Compared(Duration undisturbed, Duration disturbed) {
        boolean isWithin(int times) {
            return disturbed.compareTo(undisturbed.multipliedBy(times).plusSeconds(2)) < 0;
        }
    }

    @Test
    void with_all_connections_terminated_five_times_a_second_a_tenth_of_the_throughput_is_left() throws Exception {
        AtomicInteger completed = new AtomicInteger(1);
        try (HikariDataSource pool = pool(port());
                DurableEngine engine = engine(pool).start()) {
            complete(engine, "warm", RUNS);
            Compared compared = Trials.until(c -> c.isWithin(10), number -> {
                Duration undisturbed = complete(engine, "undisturbed-" + number, RUNS);
                AtomicBoolean done = new AtomicBoolean();
                AtomicInteger terminated = new AtomicInteger();
                Thread terminator = Thread.ofPlatform().start(() -> terminate(done, terminated));

                int rounds = 0;
                Duration disturbed = Duration.ZERO;
                try {
                    while (rounds == 0 || disturbed.toSeconds() < SECONDS) {
                        disturbed = disturbed.plus(complete(engine, "terminated-" + number + "-" + ++rounds, RUNS));
                    }
                } finally {
                    done.set(true);
                    terminator.join();
                }

                log.warn(
                        "{} runs: undisturbed {}; {} times as many, with {} backends terminated {}",
                        RUNS,
                        undisturbed,
                        rounds,
                        terminated,
                        disturbed);
                assertThat(terminated).hasPositiveValue();
                completed.addAndGet(1 + rounds);
                return new Compared(undisturbed, disturbed.dividedBy(rounds));
            });
            assertThat(compared).matches(c -> c.isWithin(10), "within ten times the undisturbed, and two seconds");
        }
        allOnce(completed.get() * RUNS);
    }

    // ── work ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    private static DurableEngine.Builder engine(DataSource dataSource) {
        return DurableEngine.builder(PostgresHistoryStore.of(dataSource))
                .callTimeout(LONG)
                .register(Five.class)
                .activity(Steps.class, before -> before + 1)
                .activity(Ledger.class, CutConnectionsTest::insert);
    }

    private static int insert(String run) throws SQLException {
        Connection connection = ActivityContext.current().transaction(Connection.class);
        try (var insert = connection.prepareStatement("insert into ledger values (?)")) {
            insert.setString(1, run);
            return insert.executeUpdate();
        }
    }

    private static Duration complete(DurableEngine engine, String name, int runs) throws InterruptedException {
        long begun = System.nanoTime();
        Queue<WorkflowHandle<?, Integer>> handles = new ConcurrentLinkedQueue<>();
        List<Thread> clients = new ArrayList<>();
        Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>();
        int each = (runs + 15) / 16;
        for (int client = 0; client < 16; client++) {
            int from = client * each;
            int to = Math.min(runs, from + each);
            clients.add(Thread.ofVirtual().start(() -> {
                try {
                    for (int i = from; i < to; i++) {
                        String id = name + "-" + i;
                        handles.add(engine.client().start(Five.class, id, w -> w.run(id)));
                    }
                } catch (RuntimeException e) {
                    failures.add(e);
                }
            }));
        }
        for (Thread client : clients) {
            client.join();
        }
        assertThat(failures).isEmpty();
        assertThat(handles).hasSize(runs);
        handles.forEach(run -> assertThat(run.result(LONG)).isEqualTo(5));
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    private void allOnce(int runs) throws SQLException {
        assertThat(number("select count(*) from durable.workflow_run where status = 'COMPLETED'"))
                .as("completed")
                .isEqualTo(runs);
        assertThat(number("select count(*) from ledger")).isEqualTo(runs);
        assertThat(number("select count(distinct run) from ledger")).isEqualTo(runs);
        assertThat(number("select count(*) from durable.history_event where type = 'ActivityCompleted'"))
                .isEqualTo(5L * runs);
        assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
    }

    // ── damage ───────────────────────────────────────────────────────────────────────────────────────────────────────

    private void terminate(AtomicBoolean done, AtomicInteger terminated) {
        PGSimpleDataSource elsewhere = (PGSimpleDataSource) database.dataSource();
        elsewhere.setDatabaseName("postgres");
        try (Connection connection = elsewhere.getConnection();
                Statement statement = connection.createStatement()) {
            while (!done.get()) {
                try (var row = statement.executeQuery(
                        "select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = '"
                                + database.name() + "'")) {
                    row.next();
                    terminated.addAndGet(row.getInt(1));
                }
                LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private int port() {
        return ((PGSimpleDataSource) database.dataSource()).getPortNumbers()[0];
    }

    private HikariDataSource pool(int port) {
        PGSimpleDataSource source = (PGSimpleDataSource) database.dataSource();
        source.setServerNames(new String[] {"127.0.0.1"});
        source.setPortNumbers(new int[] {port});
        source.setSslMode("disable");
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setMaximumPoolSize(16);
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                var row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
