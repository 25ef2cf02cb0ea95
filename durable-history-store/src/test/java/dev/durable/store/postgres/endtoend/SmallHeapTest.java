package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.Activity;
import dev.durable.ActivityHandle;
import dev.durable.Durable;
import dev.durable.DurableEngine;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowHandle;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * A worker with a heap of 96 MB completes what a client has sent, however much it is, and what others have
 * sent beside it. Its process ends with its first {@code OutOfMemoryError}.
 */
@Timeout(180)
@Tag("slow")
class SmallHeapTest {
    /** More than the heap holds. */
    private static final int TO_ONE = 64;

    private static final int LARGE = Integer.getInteger("heap.messages", 24);
    /** What the limit of payloads lets through. */
    private static final int SIZE = (2 << 20) - 100;

    private static final int OTHERS = 3;
    private static final Duration SOON = Duration.ofMinutes(2);

    @Workflow
    static class Reader {
        private int heard;
        private long characters;

        @Run
        long run(int letters, String first) {
            Durable.await(() -> heard >= letters);
            return characters + first.length();
        }

        @Signal
        void letter(String text) {
            heard++;
            characters += text.length();
        }
    }

    @Activity(startToClose = "1m")
    interface Counter {
        int count(String text);
    }

    private final TestDatabase database = TestDatabase.create();
    private final DurableEngine client = Bench.engineOn(database.pooledDataSource(4))
            .register(Reader.class)
            .clientOnly()
            .start();

    @TempDir
    Path directory;

    private Path log;
    private Process worker;

    @BeforeEach
    void name() {
        log = directory.resolve("worker.log");
    }

    @AfterEach
    void drop() {
        if (worker != null) {
            worker.destroyForcibly();
        }
        client.close();
        database.close();
    }

    @Test
    void more_signals_to_one_run_than_the_heap_holds() throws Exception {
        completes(List.of(signalled("one", TO_ONE, SmallHeapTest::noise)), (long) TO_ONE * SIZE);
    }

    @Test
    @EnabledIfSystemProperty(named = "heap.messages", matches = "\\d+", disabledReason = "-Pthorough")
    void the_same_where_the_database_compresses_them_well() throws Exception {
        completes(List.of(signalled("one", LARGE, seed -> "durable ".repeat(SIZE / 8))), (long) LARGE * (SIZE / 8) * 8);
    }

    @Test
    @EnabledIfSystemProperty(named = "heap.messages", matches = "\\d+", disabledReason = "-Pthorough")
    void more_signals_to_many_runs() throws Exception {
        List<WorkflowHandle<Reader, Long>> runs = new ArrayList<>();
        for (int i = 0; i < LARGE / 4; i++) {
            runs.add(signalled("run-" + i, 4, SmallHeapTest::noise));
        }
        completes(runs, 4L * SIZE);
    }

    @Test
    void more_arguments_of_starts() throws Exception {
        List<WorkflowHandle<Reader, Long>> runs = new ArrayList<>();
        for (int i = 0; i < LARGE; i++) {
            String first = noise(i);
            runs.add(client.client().start(Reader.class, "run-" + i, r -> r.run(0, first)));
        }
        completes(runs, SIZE);
    }

    @Test
    @EnabledIfSystemProperty(named = "heap.messages", matches = "\\d+", disabledReason = "-Pthorough")
    void more_arguments_of_runs_that_wait() throws Exception {
        List<WorkflowHandle<Reader, Long>> runs = new ArrayList<>();
        for (int i = 0; i < LARGE; i++) {
            String first = noise(i);
            runs.add(client.client().start(Reader.class, "run-" + i, r -> r.run(1, first)));
        }
        completes(List.of(), 0);
        runs.forEach(run -> run.signal(r -> r.letter("")));
        assertCompleted(runs, SIZE);
    }

    @Test
    @EnabledIfSystemProperty(named = "heap.messages", matches = "\\d+", disabledReason = "-Pthorough")
    void more_arguments_of_jobs() throws Exception {
        List<ActivityHandle> jobs = new ArrayList<>();
        for (int i = 0; i < LARGE; i++) {
            String text = noise(i);
            jobs.add(client.client().enqueue(Counter.class, c -> c.count(text)));
        }
        completes(List.of(), 0);
        for (ActivityHandle job : jobs) {
            assertThat(job.resultAs(Integer.class)).isEqualTo(SIZE);
        }
        assertCompleted(List.of(), 0);
    }

    /** Text that no database makes much smaller. */
    private static String noise(int seed) {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder(SIZE);
        while (text.length() < SIZE) {
            text.append((char) ('0' + random.nextInt(43)));
        }
        return text.toString();
    }

    private WorkflowHandle<Reader, Long> signalled(String id, int letters, IntFunction<String> text) {
        WorkflowHandle<Reader, Long> run = client.client().start(Reader.class, id, r -> r.run(letters, ""));
        for (int i = 0; i < letters; i++) {
            String letter = text.apply(i);
            run.signal(r -> r.letter(letter));
        }
        return run;
    }

    private void completes(List<WorkflowHandle<Reader, Long>> runs, long characters) throws Exception {
        List<WorkflowHandle<Reader, Long>> others = new ArrayList<>();
        for (int i = 0; i < OTHERS; i++) {
            others.add(signalled("other-" + i, 1, seed -> "short"));
        }
        worker = worker();
        for (WorkflowHandle<Reader, Long> other : others) {
            assertThat(result(other)).isEqualTo(5);
        }
        assertCompleted(runs, characters);
    }

    private void assertCompleted(List<WorkflowHandle<Reader, Long>> runs, long characters) throws Exception {
        for (WorkflowHandle<Reader, Long> run : runs) {
            assertThat(result(run)).isEqualTo(characters);
        }
        assertThat(worker.isAlive()).isTrue();
        assertThat(Files.readString(log)).doesNotContain("OutOfMemoryError");
        assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
    }

    private long result(WorkflowHandle<Reader, Long> run) throws IOException {
        long deadline = System.nanoTime() + SOON.toNanos();
        while (!run.describe().summary().status().closed()) {
            if (!worker.isAlive() || System.nanoTime() - deadline > 0) {
                throw new AssertionError(
                        run.workflowId() + " is open, the worker " + worker + " said:\n" + Files.readString(log));
            }
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }
        return run.result(SOON);
    }

    private Process worker() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx96m",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Worker.class.getName(),
                        database.jdbcUrl(),
                        database.username(),
                        database.password())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    /** The worker's process. */
    static final class Worker {
        private Worker() {}

        public static void main(String[] arguments) throws InterruptedException {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(arguments[0]);
            config.setUsername(arguments[1]);
            config.setPassword(arguments[2]);
            try (HikariDataSource pool = new HikariDataSource(config);
                    DurableEngine engine = Bench.engineOn(pool)
                            .register(Reader.class)
                            .activity(Counter.class, String::length)
                            .start()) {
                Thread.currentThread().join();
            }
        }
    }
}
