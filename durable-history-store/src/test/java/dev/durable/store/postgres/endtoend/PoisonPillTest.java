package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.Activity;
import dev.durable.Retry;
import dev.durable.client.ActivityHandle;
import dev.durable.client.ActivityState;
import dev.durable.client.ActivitySummary;
import dev.durable.client.DurableEngine;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A job that kills the process which runs it does not kill one process after another for ever. */
@Timeout(600)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class PoisonPillTest {
    private static final int BUDGET = 1;

    @Activity(startToClose = "1h", retry = @Retry(maxAttempts = 0, maxWorkerCrashes = BUDGET))
    interface Parser {
        String parse(String document);
    }

    private final TestDatabase database = TestDatabase.migrated();

    @AfterEach
    void drop() {
        database.close();
    }

    @Test
    void a_job_that_kills_its_processes_is_a_dead_letter_when_its_crashes_are_used_up() throws Exception {
        PostgresHistoryStore.of(database.dataSource()).open();
        try (DurableEngine survivor = Bench.takingOverSoon(database.pooledDataSource(8))
                .register(UnknownTypesTest.Known.class)
                .start()) {
            ActivityHandle job = survivor.client().enqueue(Parser.class, p -> p.parse("a bomb"));
            ActivitySummary dead = awaitDeath(survivor, job);

            assertThat(dead.crashes()).isEqualTo(BUDGET + 1);
            assertThat(dead.attempt()).as("no attempt was used").isOne();
            assertThat(dead.lastFailure()).isEqualTo("its worker died 2 times while it ran");
            survivor.client().activity(job.id(), 1).complete("by hand");
            assertThat(job.resultAs(String.class)).isEqualTo("by hand");
        }
        assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
    }

    /**
     * Starts one process after another until the job is dead. On a machine that stands still for longer than the session
     * lease, a process may count as dead before the job has killed it.
     */
    private ActivitySummary awaitDeath(DurableEngine engine, ActivityHandle job) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
        Process parsing = parsingProcess();
        ActivitySummary last = engine.client().activity(job.id(), 1).describe();
        try {
            while (last.state() != ActivityState.DEAD && System.nanoTime() - deadline < 0) {
                if (!parsing.isAlive() && last.crashes() <= BUDGET) {
                    parsing = parsingProcess();
                }
                LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
                last = engine.client().activity(job.id(), 1).describe();
            }
        } finally {
            parsing.destroyForcibly();
        }
        assertThat(last.state()).isEqualTo(ActivityState.DEAD);
        return last;
    }

    private Process parsingProcess() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ParsingProcess.class.getName(),
                        database.jdbcUrl(),
                        database.username(),
                        database.password())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Another worker process, which lives until its first job. */
    static final class ParsingProcess {
        private ParsingProcess() {}

        public static void main(String[] arguments) throws InterruptedException {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(arguments[0]);
            config.setUsername(arguments[1]);
            config.setPassword(arguments[2]);
            try (HikariDataSource pool = new HikariDataSource(config);
                    DurableEngine engine = engine(pool)) {
                Thread.currentThread().join();
            }
        }

        /** The body ends its process as kill -9 would: no hook runs, no job is given back. */
        private static DurableEngine engine(DataSource pool) {
            return Bench.takingOverSoon(pool)
                    .activity(Parser.class, document -> {
                        Runtime.getRuntime().halt(137);
                        return document;
                    })
                    .start();
        }
    }
}
