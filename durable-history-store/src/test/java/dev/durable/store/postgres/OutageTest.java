package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.Activity;
import dev.durable.Run;
import dev.durable.StoreUnavailableException;
import dev.durable.Trials;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.store.postgres.testing.TestDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.postgresql.ds.PGSimpleDataSource;

/** The database is down at the start, or stops in the middle and comes back. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class OutageTest {
    private static final String SECRET = "s3cret";
    private static final Duration LONG = Duration.ofSeconds(60);

    @Test
    void a_database_that_is_down_at_the_start_is_named_without_its_password() throws Exception {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setPassword(SECRET);
        try (ClosedPort port = new ClosedPort()) {
            source.setUrl("jdbc:postgresql://127.0.0.1:" + port.number() + "/orders?user=ann&password=" + SECRET);

            assertThatThrownBy(() -> PostgresHistoryStore.of(source).open())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageMatching(
                            "the database at jdbc:postgresql://127.0.0.1:\\d+/orders can't be reached: Connection to"
                                    + " .* refused\\..* Nothing acknowledged is lost\\. Check that it runs, accepts connections"
                                    + " from here and is not a standby\\.")
                    .satisfies(e -> assertThat(whole(e)).doesNotContain(SECRET));
        }
    }

    @Test
    void a_wrong_password_is_not_shown_either() {
        try (TestDatabase database = TestDatabase.create()) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(database.jdbcUrl());
            config.setUsername("ann");
            config.setPassword(SECRET);
            config.setConnectionTimeout(500);
            config.setInitializationFailTimeout(-1);
            try (HikariDataSource pool = new HikariDataSource(config)) {
                assertThatThrownBy(() -> PostgresHistoryStore.of(pool).open())
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("can't be reached")
                        .satisfies(e -> assertThat(whole(e)).doesNotContain(SECRET));
            }
        }
    }

    @Test
    void an_engine_whose_database_goes_away_and_comes_back_goes_on() {
        try (TestDatabase database = TestDatabase.migrated();
                HikariDataSource pool = pool(database);
                PostgresHistoryStore store = PostgresHistoryStore.of(pool)) {
            Working working = new Working();
            try (DurableEngine engine =
                    DurableEngine.builder(store).register(Steps.class, working).start()) {
                List<WorkflowHandle<?, Integer>> runs = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    runs.add(engine.client().start(Steps.class, "run-" + i, Steps::run));
                }
                assertThat(Sql.await(LONG, () -> working.begun.get() >= 10)).isTrue();
                accept(database, false);
                working.gate.countDown();
                assertThatThrownBy(store::now).isInstanceOf(StoreUnavailableException.class);
                accept(database, true);

                runs.forEach(run -> assertThat(run.result(LONG)).isEqualTo(3));
                assertThat(engine.client()
                                .start(Steps.class, "afterwards", Steps::run)
                                .result(LONG))
                        .isEqualTo(3);
            }
            assertThat(Sql.number(database.dataSource(), """
                    select count(*) from (select run_id, durable.seq_of(attributes) from durable.history_event
                      where type = 'ActivityCompleted' group by 1, 2 having count(*) <> 1) twice""")).isZero();
        }
    }

    /**
     * No process could beat meanwhile, so the silence of none is held against it: one lease of unbroken checks comes
     * first.
     */
    @Test
    void an_outage_longer_than_a_lease_declares_nobody_dead_and_queues_nothing_again() throws Exception {
        Trials.once(number -> anOutageLongerThanALeaseDeclaresNobodyDead());
    }

    private static void anOutageLongerThanALeaseDeclaresNobodyDead() {
        Duration lease = Duration.ofMillis(1500);
        try (TestDatabase database = TestDatabase.migrated();
                HikariDataSource onePool = pool(database);
                HikariDataSource otherPool = pool(database);
                PostgresHistoryStore oneStore = PostgresHistoryStore.of(onePool);
                PostgresHistoryStore otherStore = PostgresHistoryStore.of(otherPool)) {
            Working working = new Working();
            try (DurableEngine one = engine(oneStore, working, lease);
                    DurableEngine other = engine(otherStore, working, lease)) {
                List<WorkflowHandle<?, Integer>> runs = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    DurableEngine starter = i % 2 == 0 ? one : other;
                    runs.add(starter.client().start(Steps.class, "run-" + i, Steps::run));
                }
                assertThat(Sql.await(LONG, () -> working.begun.get() == 20)).isTrue();
                List<UUID> sessions =
                        List.of(one.worker().session(), other.worker().session());
                accept(database, false);
                long away = System.nanoTime();
                Sql.await(lease.multipliedBy(3), () -> false);
                assertThat(System.nanoTime() - away)
                        .isGreaterThan(lease.multipliedBy(2).toNanos());
                accept(database, true);
                Sql.await(lease.multipliedBy(2), () -> false);
                working.gate.countDown();

                runs.forEach(run -> assertThat(run.result(LONG)).isEqualTo(3));
                assertThat(List.of(one.worker().session(), other.worker().session()))
                        .as("the sessions of before")
                        .isEqualTo(sessions);
                assertThat(working.begun.get()).as("each body once").isEqualTo(60);
            }
            assertThat(Sql.number(
                            database.dataSource(),
                            "select count(*) from durable.history_event where type = 'ActivityAttemptFailed'"))
                    .isZero();
        }
    }

    private static DurableEngine engine(PostgresHistoryStore store, Working working, Duration lease) {
        return DurableEngine.builder(store)
                .register(Steps.class, working)
                .sessionLease(lease)
                .start();
    }

    /** New connections are refused, and existing ones are cut, as by a server that stops. */
    private static void accept(TestDatabase database, boolean connections) {
        PGSimpleDataSource server = (PGSimpleDataSource) database.dataSource();
        server.setDatabaseName("postgres");
        Sql.execute(server, "alter database " + database.name() + " allow_connections " + connections);
        if (!connections) {
            Sql.execute(
                    server,
                    "select pg_terminate_backend(pid) from pg_stat_activity where datname = '" + database.name() + "'");
        }
    }

    private static HikariDataSource pool(TestDatabase database) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        config.setMaximumPoolSize(10);
        config.setConnectionTimeout(500);
        return new HikariDataSource(config);
    }

    private static String whole(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    /** A few steps. */
    @Activity
    public interface Work {
        /** One. */
        int step(int before);
    }

    /** Waits until the test lets it. */
    static final class Working implements Work {
        private final CountDownLatch gate = new CountDownLatch(1);
        private final AtomicInteger begun = new AtomicInteger();

        @Override
        public int step(int before) {
            begun.incrementAndGet();
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return before + 1;
        }
    }

    /** Three steps. */
    @Workflow
    public static class Steps {
        private final Work work;

        Steps(Work work) {
            this.work = work;
        }

        /** Counts to three. */
        @Run
        public int run() {
            return work.step(work.step(work.step(0)));
        }
    }
}
