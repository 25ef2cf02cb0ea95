package dev.durable.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process stands still for longer than its lease and goes on as if nothing had happened. */
@Timeout(120)
@Tag("slow")
class PausedProcessTest {
    private static final int RUNS = 50;
    private static final int CALLS = 20;
    private static final int AT_WORK = 20;
    private static final String ALIVE =
            "select count(*) from durable.session where not dead and identity = '" + PausableWorker.NAME + "'";
    private static final Duration SOON = Duration.ofSeconds(60);

    /** A condition that may be asked again and again. */
    private interface Condition {
        boolean holds() throws Exception;
    }

    @Test
    void of_a_thousand_activities_none_is_completed_by_a_process_that_lost_its_lease_while_it_was_suspended()
            throws Exception {
        try (TestDatabase postgres = TestDatabase.create()) {
            Database database = new Database(postgres.jdbcUrl(), postgres.username(), postgres.password());
            try (HikariDataSource pool = database.pool(10);
                    PausableWorker suspended = PausableWorker.start(database)) {
                PostgresHistoryStore.of(pool).open();
                List<WorkflowHandle<PausableWorker.Ask, Integer>> runs = startAll(pool);
                await(() -> suspended.ask()[0] >= AT_WORK);
                suspended.pause();
                long paused = System.nanoTime();
                try (DurableEngine other = worker(pool)) {
                    await(() -> count(pool, ALIVE) == 0);
                    await(() -> System.nanoTime() - paused > PausableWorker.FROZEN.toNanos());
                    suspended.goOn();
                    await(() -> suspended.ask()[1] >= 1);

                    runs.forEach(run -> assertThat(other.client()
                                    .handle(PausableWorker.Ask.class, run.workflowId())
                                    .resultAs(Integer.class))
                            .isEqualTo(CALLS));
                }
                assertThat(count(pool, "select count(*) from durable.history_event where type = 'ActivityCompleted'"))
                        .isEqualTo(RUNS * CALLS);
                assertThat(count(pool, """
                                select count(*) from durable.history_event
                                 where type = 'ActivityCompleted' and attributes::text like '%frozen%'"""))
                        .as("completions by attempts whose lease was lost")
                        .isZero();
                assertThat(SqlInvariants.check(pool)).isEmpty();
            }
        }
    }

    private static List<WorkflowHandle<PausableWorker.Ask, Integer>> startAll(HikariDataSource pool) {
        List<WorkflowHandle<PausableWorker.Ask, Integer>> runs = new ArrayList<>();
        try (DurableEngine engine = DurableEngine.builder(PostgresHistoryStore.of(pool))
                .register(PausableWorker.Ask.class)
                .clientOnly()
                .start()) {
            DurableClient client = engine.client();
            for (int i = 0; i < RUNS; i++) {
                runs.add(client.start(PausableWorker.Ask.class, "ask-" + i, w -> w.run(CALLS)));
            }
        }
        return runs;
    }

    private static DurableEngine worker(HikariDataSource pool) {
        return DurableEngine.builder(PostgresHistoryStore.of(pool))
                .register(PausableWorker.Ask.class)
                .activity(PausableWorker.Tell.class, number -> "fresh")
                .sessionLease(PausableWorker.LEASE)
                .pollInterval(Duration.ofMillis(200))
                .start();
    }

    private static int count(HikariDataSource pool, String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void await(Condition condition) throws Exception {
        long begun = System.nanoTime();
        while (!condition.holds()) {
            assertThat(System.nanoTime() - begun).as("waits in vain").isLessThan(SOON.toNanos());
            LockSupport.parkNanos(10_000_000);
        }
    }
}
