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
import dev.durable.Update;
import dev.durable.WaitTimedOutException;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.UpdateHandle;
import dev.durable.client.WaitFor;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.UpdateAccepted;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import dev.durable.store.postgres.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Callers of updates while workers die, the database restarts, and runs can't go on. */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class UpdateCrashTest {
    private static final Duration SHORT = Duration.ofMillis(300);

    @TempDir
    private Path directory;

    @Activity
    interface Press {
        String stamp(String text);
    }

    @Workflow
    static class Letter {
        private final Press press;
        private int total;
        private boolean ready;
        private boolean sent;

        Letter(Press press) {
            this.press = press;
        }

        @Run
        int run() {
            Durable.await(() -> sent);
            return total;
        }

        @Update
        String stamp(String text) {
            return press.stamp(text);
        }

        @Update
        int add(int count) {
            total += count;
            return total;
        }

        @Update
        String waitUntilReady() {
            Durable.await(() -> ready);
            return "ready";
        }

        @Signal
        void getReady() {
            ready = true;
        }

        @Signal
        void send() {
            sent = true;
        }
    }

    @Workflow(stallOn = IllegalStateException.class)
    static class Broken {
        @Run
        void run() {
            throw new IllegalStateException("not deployed yet");
        }

        @Update
        String look() {
            return "seen";
        }
    }

    @Test
    void an_update_whose_worker_is_killed_between_acceptance_and_answer_is_answered_by_another() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                DurableEngine caller = Bench.takingOverSoon(database.pooledDataSource(8))
                        .register(Letter.class)
                        .clientOnly()
                        .start()) {
            Process worker = worker(database);
            WorkflowHandle<Letter, Integer> run = caller.client().start(Letter.class, "l-1", Letter::run);
            try {
                UpdateHandle<String> update = run.startUpdate("u-1", w -> w.stamp("elm"), WaitFor.ACCEPTED);
                CompletableFuture<String> answer = update.resultAsync();
                assertThat(worker.waitFor())
                        .as("killed in the activity of the handler")
                        .isEqualTo(137);
                assertThat(answer).isNotDone();

                try (DurableEngine survivor = Bench.takingOverSoon(database.pooledDataSource(8))
                        .register(Letter.class)
                        .activity(Press.class, text -> text + " stamped")
                        .start()) {
                    assertThat(update.result(Bench.SOON)).isEqualTo("elm stamped");
                    assertThat(answer.get()).isEqualTo("elm stamped");
                    survivor.client().handle(Letter.class, "l-1").signal(Letter::send);
                    assertThat(run.result(Bench.SOON)).isZero();
                }
            } finally {
                worker.destroyForcibly();
            }
            assertThat(run.history().events(UpdateAccepted.class)).hasSize(1);
            assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
        }
    }

    private static Process worker(TestDatabase database) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        DoomedWorker.class.getName(),
                        database.jdbcUrl(),
                        database.username(),
                        database.password())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** A worker process, which lives until its first stamp. */
    static final class DoomedWorker {
        private DoomedWorker() {}

        public static void main(String[] arguments) throws InterruptedException {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(arguments[0]);
            config.setUsername(arguments[1]);
            config.setPassword(arguments[2]);
            try (HikariDataSource pool = new HikariDataSource(config);
                    DurableEngine engine = Bench.takingOverSoon(pool)
                            .register(Letter.class)
                            .activity(Press.class, text -> {
                                Runtime.getRuntime().halt(137);
                                return text;
                            })
                            .start()) {
                Thread.currentThread().join();
            }
        }
    }

    /** Makes a call of a client until the database answers it. */
    private static <T> T patiently(java.util.function.Supplier<T> call) {
        while (true) {
            try {
                return call.get();
            } catch (StoreUnavailableException e) {
                // The answer was cut off: the same call has the same effect.
            }
        }
    }

    @Test
    void callers_that_wait_while_the_database_restarts_get_their_answers() {
        EmbeddedPostgres server = EmbeddedPostgres.at(directory.resolve("restarted"));
        HikariConfig config = new HikariConfig();
        config.setDataSource(server.dataSource());
        try (HikariDataSource pool = new HikariDataSource(config);
                DurableEngine worker = Bench.engineOn(pool)
                        .register(Letter.class)
                        .activity(Press.class, text -> text)
                        .start();
                DurableEngine caller =
                        Bench.engineOn(pool).register(Letter.class).clientOnly().start()) {
            WorkflowHandle<Letter, Integer> run = worker.client().start(Letter.class, "l-1", Letter::run);
            WorkflowHandle<Letter, ?> there = caller.client().handle(Letter.class, "l-1");
            UpdateHandle<String> near = run.startUpdate("u-1", Letter::waitUntilReady, WaitFor.ACCEPTED);
            UpdateHandle<String> far = there.startUpdate("u-2", Letter::waitUntilReady, WaitFor.ACCEPTED);
            CompletableFuture<String> nearAnswer = near.resultAsync();
            CompletableFuture<String> farAnswer = far.resultAsync();

            server.close();
            server = EmbeddedPostgres.at(directory.resolve("restarted"));
            patiently(() -> {
                run.signal(Letter::getReady);
                return true;
            });

            assertThat(nearAnswer.join()).isEqualTo("ready");
            assertThat(farAnswer.join()).isEqualTo("ready");
            run.signal(Letter::send);
            run.result();
        } finally {
            server.close();
        }
    }

    @Test
    void an_update_that_has_no_answer_yet_says_why() {
        try (Bench bench = new Bench();
                DurableEngine worker = bench.engine()
                        .register(Letter.class, Broken.class)
                        .activity(Press.class, text -> text)
                        .start();
                DurableEngine caller = bench.engine()
                        .register(Letter.class, Broken.class)
                        .clientOnly()
                        .start()) {
            var unserved = caller.client()
                    .updateWithStart(
                            Letter.class,
                            StartOptions.id("unserved").taskQueue("nowhere"),
                            Letter::run,
                            "u-1",
                            w -> w.add(1));
            assertLate(
                    unserved.update(),
                    "the message waits for a worker that serves task queue \"nowhere\" with workflow type Letter");

            var broken = caller.client()
                    .updateWithStartVoid(Broken.class, StartOptions.id("broken"), Broken::run, "u-1", Broken::look);
            Bench.awaitThat(broken.workflow(), run -> run.stalledBy() != null);
            assertLate(broken.update(), "the run is stalled: ");

            WorkflowHandle<Letter, Integer> busy = worker.client().start(Letter.class, "busy", Letter::run);
            assertLate(
                    busy.startUpdate("u-1", Letter::waitUntilReady, WaitFor.ACCEPTED),
                    "the update was accepted, and its handler has not returned");
            busy.pause("for a while");
            assertLate(
                    busy.updateHandle("u-1", String.class),
                    "the run is paused. It goes on when it is resumed: handle.resume()");
            unserved.workflow().terminate("the test ends");
            broken.workflow().terminate("the test ends");
            busy.terminate("the test ends");
        }
    }

    private static void assertLate(UpdateHandle<?> update, String why) {
        assertThatThrownBy(() -> update.result(SHORT))
                .isInstanceOf(WaitTimedOutException.class)
                .hasMessageContaining("did not come within PT0.3S: " + why);
    }
}
