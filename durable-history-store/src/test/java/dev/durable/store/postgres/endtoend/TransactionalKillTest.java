package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.DurableException;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.testing.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactional activities whose connections are cut, whose leases are taken away and whose processes are killed at random:
 * in the end their table has a row for each completion event, and no other.
 */
@Timeout(1_200)
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class TransactionalKillTest {
    private static final Logger log = LoggerFactory.getLogger(TransactionalKillTest.class);
    private static final int CUTS = Integer.getInteger("transactional.kills", 40);
    private static final int LEASES = CUTS / 2;
    private static final int PROCESSES = Math.max(1, CUTS / 100);
    private static final int ACTIVITIES = 20;

    private final TestDatabase database = TestDatabase.migrated();
    private final long seed = Long.getLong("seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<WorkflowHandle<?, Integer>> runs = new ArrayList<>();

    @BeforeEach
    void table() throws SQLException {
        log.info("seed {}", seed);
        PostgresHistoryStore.of(database.dataSource()).open();
        number("create table booking (idempotency_key text not null, account text not null); select 0");
    }

    @AfterEach
    void drop() {
        database.close();
    }

    @Test
    void rows_equal_completions_after_many_cut_connections_lost_leases_and_some_killed_processes() throws Exception {
        int cut;
        long refused;
        try (DurableEngine engine =
                engine(database.pooledDataSource(24), () -> {}).start()) {
            cut = workWhile(engine, this::cutConnections);
            workWhile(engine, this::takeLeases);
            refused = engine.worker().staleReports();
            workWhile(engine, this::killProcesses);
            for (WorkflowHandle<?, Integer> run : runs) {
                assertThat(run.result(Duration.ofSeconds(60))).isEqualTo(ACTIVITIES);
            }
        }
        long failed = number("select count(*) from durable.history_event where type = 'ActivityAttemptFailed'");
        log.info("{} runs, {} connections cut, {} attempts failed for it", runs.size(), cut, failed);
        assertThat(cut).isEqualTo(CUTS);
        assertThat(failed).as("the cuts hit something").isPositive();
        assertThat(number("select count(*) from booking")).isEqualTo((long) runs.size() * ACTIVITIES);
        assertThat(number(TransactionalActivityTest.ROWS_THAT_ARE_NOT_COMPLETIONS))
                .isZero();
        assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
        assertThat(refused).as("outcomes whose lease was lost").isPositive();
    }

    // ── work ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    /** An engine whose bodies run this action when they have written. */
    static DurableEngine.Builder engine(DataSource dataSource, Runnable written) {
        return Bench.takingOverSoon(dataSource)
                .register(TransactionalActivityTest.Booking.class)
                .activity(TransactionalActivityTest.Accounts.class, account -> {
                    int rows = TransactionalActivityTest.insert(account);
                    written.run();
                    // Long enough for cuts to hit between the insert and the commit, too.
                    LockSupport.parkNanos(2_000_000);
                    return rows;
                })
                .queue("default", queue -> queue.slots(8));
    }

    /** Keeps some runs open until the other thread has done its damage. */
    private int workWhile(DurableEngine engine, Damage damage) throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        Thread worker = Thread.ofPlatform().start(() -> {
            while (!done.get()) {
                String id = "run-" + runs.size();
                runs.add(
                        engine.client().start(TransactionalActivityTest.Booking.class, id, w -> w.run(id, ACTIVITIES)));
                await(runs.getLast());
            }
        });
        try {
            return damage.inflict();
        } finally {
            done.set(true);
            worker.join();
        }
    }

    private static void await(WorkflowHandle<?, Integer> run) {
        try {
            run.result(Duration.ofMillis(500));
        } catch (DurableException e) {
            // Failures are found when all results are asked for; until then there must be work for the processes that
            // are to be killed.
            log.info("{} has no result yet: {}", run.workflowId(), e.getMessage());
        }
    }

    @FunctionalInterface
    private interface Damage {
        int inflict() throws Exception;
    }

    // ── damage ───────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Cuts connections at random points, mostly those that are in a transaction just then. */
    private int cutConnections() throws SQLException {
        int cut = 0;
        while (cut < CUTS) {
            LockSupport.parkNanos(random.nextInt(40_000_000));
            cut += (int) number("""
                    select count(pg_terminate_backend(pid)) from (
                        select pid from pg_stat_activity
                         where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
                         order by (state <> 'idle' and random() < 0.8) desc, random() limit 1) victim""");
        }
        return cut;
    }

    /** As if another process had declared their worker dead: running jobs (state 2) are ready (0) while their bodies go on. */
    private int takeLeases() throws SQLException {
        int taken = 0;
        while (taken < LEASES) {
            LockSupport.parkNanos(random.nextInt(20_000_000));
            taken += (int) number("""
                    with taken as (
                        update durable.activity_job set state = 0, lease = null, session = null, claim = null
                         where ctid in (select ctid from durable.activity_job where state = 2 order by random() limit 1
                                           for update skip locked)
                        returning run_id)
                    select count(*) from taken""");
        }
        return taken;
    }

    private int killProcesses() throws IOException, InterruptedException {
        for (int i = 0; i < PROCESSES; i++) {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("java.class.path"),
                            BookingProcess.class.getName(),
                            database.jdbcUrl(),
                            database.username(),
                            database.password())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (BufferedReader lines = process.inputReader()) {
                String line = lines.readLine();
                while (line != null && !line.equals(BookingProcess.BOOKED)) {
                    line = lines.readLine();
                }
                assertThat(line).as("the other process works").isNotNull();
                LockSupport.parkNanos(random.nextInt(300_000_000));
            } finally {
                process.destroyForcibly().waitFor();
            }
        }
        return PROCESSES;
    }

    /** Another worker, until it is killed. */
    static final class BookingProcess {
        static final String BOOKED = "booked";

        private BookingProcess() {}

        public static void main(String[] arguments) throws InterruptedException {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(arguments[0]);
            config.setUsername(arguments[1]);
            config.setPassword(arguments[2]);
            config.setMaximumPoolSize(16);
            config.setMinimumIdle(1);
            try (HikariDataSource pool = new HikariDataSource(config);
                    DurableEngine engine =
                            engine(pool, () -> System.out.println(BOOKED)).start()) {
                Thread.currentThread().join();
            }
        }
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            boolean rows = statement.execute(sql);
            while (!rows) {
                rows = statement.getMoreResults();
            }
            try (var result = statement.getResultSet()) {
                result.next();
                return result.getLong(1);
            }
        }
    }
}
