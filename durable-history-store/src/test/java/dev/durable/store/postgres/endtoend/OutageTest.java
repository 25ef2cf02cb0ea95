package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.StoreUnavailableException;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.store.postgres.ClosedPort;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.postgresql.ds.PGSimpleDataSource;

/** A database that does not answer: at the start, and in the middle. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class OutageTest {
    @TempDir
    private Path directory;

    @Activity(startToClose = "60s")
    interface Steps {
        String first();

        String second();
    }

    @Workflow
    static class Journey {
        private final Steps steps;
        private boolean goOn;

        Journey(Steps steps) {
            this.steps = steps;
        }

        @Run
        String run() {
            String first = steps.first();
            Durable.await(() -> goOn);
            return first + ", " + steps.second();
        }

        @Signal
        void goOn() {
            goOn = true;
        }
    }

    /**
     * Steps of which the first ends when the test lets it, so that an outage lies between its beginning and its end.
     */
    private static final class SlowSteps implements Steps {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch let = new CountDownLatch(1);

        @Override
        public String first() {
            begun.countDown();
            try {
                let.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted", e);
            }
            return "first";
        }

        @Override
        public String second() {
            return "second";
        }
    }

    @Test
    void an_engine_that_finds_no_database_says_where_it_looked_and_shows_no_password() throws Exception {
        PGSimpleDataSource nowhere = new PGSimpleDataSource();
        try (ClosedPort port = new ClosedPort()) {
            nowhere.setUrl("jdbc:postgresql://127.0.0.1:" + port.number() + "/shop?user=ann&password=s3cret");

            assertThatThrownBy(() -> Bench.engineOn(nowhere).start())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("127.0.0.1:" + port.number() + "/shop")
                    .hasMessageContaining("Check that it runs")
                    .satisfies(failure -> assertThat(whole(failure)).doesNotContain("s3cret"));
        }
    }

    @Test
    void a_run_goes_on_when_the_database_comes_back() throws Exception {
        SlowSteps steps = new SlowSteps();
        EmbeddedPostgres server = EmbeddedPostgres.at(directory);
        try (HikariDataSource pool = pool(server);
                DurableEngine engine =
                        Bench.engineOn(pool).register(Journey.class, steps).start()) {
            var run = engine.client().start(Journey.class, "j-1", Journey::run);
            steps.begun.await();

            server.close();
            CompletableFuture<Void> signal = CompletableFuture.runAsync(() -> run.signal(Journey::goOn));
            steps.let.countDown(); // its outcome finds no database either
            server = EmbeddedPostgres.at(directory);

            signal.get(Bench.SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(run.result(Bench.SOON.multipliedBy(2))).isEqualTo("first, second");
            assertThat(run.history().stream().map(event -> event.type()))
                    .filteredOn(type -> type.equals("ActivityCompleted") || type.equals("SignalReceived"))
                    .as("which of the outcome and the signal finds the database first is open; the rest follows both")
                    .containsExactlyInAnyOrder("ActivityCompleted", "SignalReceived", "ActivityCompleted")
                    .endsWith("ActivityCompleted");
            assertThat(SqlInvariants.check(pool)).isEmpty();
        } finally {
            server.close();
        }
    }

    @Test
    void a_call_that_gets_no_answer_ends_and_says_that_it_may_still_happen() throws Exception {
        EmbeddedPostgres server = EmbeddedPostgres.at(directory);
        try (HikariDataSource pool = pool(server);
                DurableEngine engine = Bench.engineOn(pool)
                        .register(Journey.class, new SlowSteps())
                        .callTimeout(Duration.ofSeconds(2))
                        .drainTimeout(Duration.ofMillis(10))
                        .start()) {
            server.close();
            assertThatThrownBy(() -> engine.client().start(Journey.class, "j-2", Journey::run))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("start of j-2: the database has not answered for 2 s")
                    .hasMessageContaining("it may still happen");
            server = EmbeddedPostgres.at(directory);
            var late = engine.client().handle(Journey.class, "j-2");
            Instant giveUp = Instant.now().plus(Bench.SOON);
            while (!isThere(engine) && Instant.now().isBefore(giveUp)) {
                Thread.onSpinWait();
            }
            assertThat(late.describe().summary().workflowId()).isEqualTo("j-2");
            late.terminate("seen");
        } finally {
            server.close();
        }
    }

    /**
     * Returns whether a read succeeds. A read does not wait for a database: until the pool has connections again it
     * throws.
     */
    private static boolean isThere(DurableEngine engine) {
        try {
            return !engine.client().workflows().page(5).isEmpty();
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    private static HikariDataSource pool(EmbeddedPostgres server) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(server.dataSource());
        config.setMaximumPoolSize(16);
        config.setConnectionTimeout(1000);
        return new HikariDataSource(config);
    }

    /** The text of the exception with all causes, as a log would show it. */
    private static String whole(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
