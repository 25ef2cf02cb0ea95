package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.DurableException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.ActivityHandle;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.IncidentGroup;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.internal.text.Portion;
import dev.durable.observe.EngineStatistics;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * A worker with a heap of 96 MB completes all that a client has sent, however much it is, and the messages of others
 * beside it. Its process ends with its first {@code OutOfMemoryError}.
 */
@Timeout(600)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("processes with a small heap")
class SmallHeapTest {
    /** The number of letters to one run, together more than the heap holds. */
    private static final int TO_ONE = Integer.getInteger("heap.letters", 52);

    private static final int LARGE = Integer.getInteger("heap.messages", 24);
    /** The size of a payload, just below its limit. */
    private static final int SIZE = (2 << 20) - 100;

    private static final String NOISE = noise();

    /** The number of rows of listings, and of messages of an outbox. */
    private static final int ROWS = Integer.getInteger("heap.rows", 60);

    private static final int POSTED = Integer.getInteger("heap.posted", 1_100);
    private static final int POSTED_SIZE = 100_000;
    /** The limit of an inbox: a tenth of all posted messages, and more than a few portions. */
    private static final long INBOX_BYTES = 15L << 20;

    /** The number of runs that wait, with arguments of so many characters. */
    private static final int WAITING = Integer.getInteger("heap.waiting", 120);

    private static final int ARGUMENT = 900_000;
    private static final int TINY = Integer.getInteger("heap.tiny", 3_000);
    private static final int TENANTS = 6;

    private static final int OTHERS = 3;
    private static final Duration SOON = Duration.ofMinutes(4);

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

    /** Completes with the number of the first letter that came out of order. */
    @Workflow
    static class InOrder {
        private int next;
        private boolean wrong;

        @Run
        int run(int letters) {
            Durable.await(() -> wrong || next >= letters);
            return next;
        }

        @Signal
        void letter(int number, String text) {
            wrong = wrong || number != next;
            next += wrong ? 0 : 1;
        }
    }

    @Activity(startToClose = "1m")
    interface Counter {
        int count(String text);
    }

    private final TestDatabase database = TestDatabase.migrated();
    private final DurableEngine client = Bench.engineOn(database.pooledDataSource(4))
            .register(Reader.class, InOrder.class)
            .clientOnly()
            .start();

    @TempDir
    Path directory;

    private final List<Process> processes = new ArrayList<>();
    private Path log;
    private Process worker;

    @BeforeEach
    void name() {
        log = directory.resolve("worker.log");
    }

    @AfterEach
    void drop() {
        processes.forEach(Process::destroyForcibly);
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
    @EnabledIfSystemProperty(named = "heap.messages", matches = "\\d+", disabledReason = "-Pthorough")
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

    @Test
    void an_inbox_that_holds_as_many_bytes_as_it_may_takes_no_more() throws Exception {
        WorkflowHandle<Reader, Long> run = signalled("one", 1, SmallHeapTest::noise);
        execute("""
                insert into durable.inbox (run_id, message_id, at, ord, kind, shard, wakes, task_queue, name, payload)
                select run_id, gen_random_uuid(), at, ord + n, kind, shard, wakes, task_queue, name, payload
                  from durable.inbox, generate_series(1, 140) n""");

        assertThatThrownBy(() -> run.signal(r -> r.letter("another")))
                .isInstanceOf(DurableException.class)
                .hasMessage(
                        "the inbox of one is full and takes no signal letter: as many bytes of messages wait for this run as"
                                + " may (inboxBytes of the store, 268,435,456 unless it was built with another). Its worker is down, or"
                                + " messages come faster than the run handles them; send again later.");

        assertThat(signalled("other", 1, seed -> "short").describe().waitingMessages())
                .isOne();
    }

    @Test
    void listings_of_more_than_the_heap_holds() throws Exception {
        for (int i = 0; i < ROWS; i++) {
            client.client().start(Reader.class, "run-" + i, r -> r.run(1, ""));
            client.client().enqueue(Counter.class, c -> c.count(""));
        }
        String large = "repeat('durable ', " + SIZE / 8 + ")";
        execute("update durable.workflow_run set memo = json_build_object('large', " + large + ")");
        execute("insert into durable.activity_heartbeat (run_id, seq, shard, at, details)"
                + " select run_id, seq, shard, now(), to_json(" + large + ") from durable.activity_job");
        execute("update durable.activity_job set state = 6, buried_at = now(), fingerprint = 'f', last_failure = "
                + large);

        worker = process(Lister.class, log);
        assertThat(worker.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(log))
                .contains(
                        "runs " + 2 * ROWS,
                        "open " + 2 * ROWS,
                        "jobs " + ROWS,
                        "incidents " + ROWS,
                        "groups 1 of " + ROWS)
                .doesNotContain("OutOfMemoryError");
    }

    @Test
    void an_outbox_of_more_than_the_heap_holds_whose_target_takes_nothing_for_a_while() throws Exception {
        var run = client.client().start(InOrder.class, "one", r -> r.run(POSTED));
        var other = client.client().start(InOrder.class, "other", r -> r.run(1));
        String text = noise(7).substring(0, POSTED_SIZE);
        for (int i = 0; i < POSTED; ) {
            try (Connection caller = database.dataSource().getConnection()) {
                caller.setAutoCommit(false);
                int to = Math.min(i + 100, POSTED);
                for (; i < to; i++) {
                    int number = i;
                    client.client().joining(caller).handle(InOrder.class, "one").signal(r -> r.letter(number, text));
                }
                caller.commit();
            }
        }
        try (Connection caller = database.dataSource().getConnection()) {
            caller.setAutoCommit(false);
            client.client().joining(caller).handle(InOrder.class, "other").signal(r -> r.letter(0, ""));
            caller.commit();
        }

        // This process delivers, and has no worker for the runs.
        Path postLog = directory.resolve("post.log");
        Process post = process(Post.class, postLog);
        Bench.awaitThat(other, now -> now.waitingMessages() == 1);
        Bench.awaitThat(run, now -> now.waitingMessages() >= INBOX_BYTES / POSTED_SIZE);
        // The relay goes on trying, and must not keep messages that it can't deliver in memory.
        LockSupport.parkNanos(Duration.ofSeconds(2).toNanos());
        assertThat(run.describe().waitingMessages())
                .isBetween((int) (INBOX_BYTES / POSTED_SIZE), (int) ((INBOX_BYTES + Portion.BYTES) / POSTED_SIZE) + 2);
        assertThat(post.isAlive()).isTrue();

        worker = process(Worker.class, log);
        assertThat(result(run)).isEqualTo(POSTED);
        assertThat(result(other)).isOne();
        assertThat(worker.isAlive() && post.isAlive()).isTrue();
        assertThat(Files.readString(log) + Files.readString(postLog)).doesNotContain("OutOfMemoryError");
        assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
    }

    /**
     * Client and worker in one engine, as most applications have them: it runs the first turn of each run that it
     * starts.
     */
    @Test
    void more_arguments_of_waiting_runs_than_the_heap_holds_that_the_worker_starts_itself() throws Exception {
        completesWhatItStarts("-Xmx160m", 1, WAITING, ARGUMENT);
    }

    @Test
    @EnabledIfSystemProperty(named = "heap.messages", matches = "\\d+", disabledReason = "-Pthorough")
    void more_waiting_runs_than_the_heap_holds_that_the_worker_starts_itself() throws Exception {
        completesWhatItStarts("-Xmx64m", 1, TINY, 0);
    }

    @Test
    @EnabledIfSystemProperty(named = "heap.messages", matches = "\\d+", disabledReason = "-Pthorough")
    void the_same_of_several_engines_each_with_a_schema_of_its_own() throws Exception {
        completesWhatItStarts("-Xmx160m", TENANTS, WAITING / TENANTS, ARGUMENT);
    }

    private void completesWhatItStarts(String heap, int engines, int runs, int size) throws Exception {
        worker = process(Starter.class, log, heap, engines, runs, size);
        assertThat(worker.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(log))
                .contains("all " + engines * runs + " have completed")
                .doesNotContain("OutOfMemoryError", "too little is counted");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Text that no database compresses much, different for each number. */
    private static String noise(int number) {
        int from = number * 7_919 % SIZE;
        return NOISE.substring(from) + NOISE.substring(0, from);
    }

    private static String noise() {
        return new Random(7)
                .ints(SIZE, '0', '0' + 43)
                .collect(() -> new StringBuilder(SIZE), (text, c) -> text.append((char) c), StringBuilder::append)
                .toString();
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
        worker = process(Worker.class, log);
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

    private <R> R result(WorkflowHandle<?, R> run) throws IOException {
        long deadline = System.nanoTime() + SOON.toNanos();
        while (!run.describe().summary().status().closed()) {
            if (!worker.isAlive() || System.nanoTime() - deadline > 0) {
                throw new AssertionError(
                        run.workflowId() + " is open, the worker " + worker + " said:\n" + Files.readString(log));
            }
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
        return run.result(SOON);
    }

    private Process process(Class<?> main, Path log) throws IOException {
        return process(main, log, "-Xmx96m");
    }

    private Process process(Class<?> main, Path log, String heap, Object... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                heap,
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName(),
                database.jdbcUrl(),
                database.username(),
                database.password()));
        Stream.of(arguments).map(String::valueOf).forEach(command::add);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        processes.add(process);
        return process;
    }

    private static HikariDataSource pool(String[] arguments) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(arguments[0]);
        config.setUsername(arguments[1]);
        config.setPassword(arguments[2]);
        return new HikariDataSource(config);
    }

    private static DurableEngine.Builder engineOn(DataSource pool) {
        return DurableEngine.builder(PostgresHistoryStore.builder(pool)
                        .inboxBytes(INBOX_BYTES)
                        .build())
                .maxHistoryBytes(Long.MAX_VALUE)
                .pollInterval(Duration.ofMillis(50))
                .sessionLease(Duration.ofSeconds(3));
    }

    /** The worker's process. */
    static final class Worker {
        private Worker() {}

        public static void main(String[] arguments) throws InterruptedException {
            try (HikariDataSource pool = pool(arguments);
                    DurableEngine engine = engineOn(pool)
                            .register(Reader.class, InOrder.class)
                            .activity(Counter.class, String::length)
                            .start()) {
                Thread.currentThread().join();
            }
        }
    }

    /** A process that delivers the outbox and runs nothing else. */
    static final class Post {
        private Post() {}

        public static void main(String[] arguments) throws InterruptedException {
            try (HikariDataSource pool = pool(arguments);
                    DurableEngine engine = engineOn(pool)
                            .activity(Counter.class, String::length)
                            .start()) {
                Thread.currentThread().join();
            }
        }
    }

    /** A process whose engines start runs, which wait, and then lets them complete. */
    static final class Starter {
        private static final int THREADS = 4;

        private Starter() {}

        public static void main(String[] arguments) throws Exception {
            int engines = Integer.parseInt(arguments[3]);
            int runs = Integer.parseInt(arguments[4]);
            int size = Integer.parseInt(arguments[5]);
            List<DurableEngine> open = new ArrayList<>();
            try (HikariDataSource pool = pool(arguments)) {
                for (int i = 0; i < engines; i++) {
                    open.add(DurableEngine.builder(PostgresHistoryStore.builder(pool)
                                    .schema(engines == 1 ? "durable" : "tenant" + i)
                                    .build())
                            .register(Reader.class)
                            .start());
                }
                inThreads(
                        runs,
                        i -> open.forEach(engine -> engine.client()
                                .start(Reader.class, "run-" + i, r -> r.run(1, NOISE.substring(i, i + size)))));
                open.forEach(engine -> check(engine.statistics().cache(), size));
                inThreads(
                        runs,
                        i -> open.forEach(engine ->
                                engine.client().handle(Reader.class, "run-" + i).signal(r -> r.letter(""))));
                inThreads(
                        runs,
                        i -> open.forEach(engine ->
                                engine.client().handle(Reader.class, "run-" + i).resultAs(Long.class)));
                System.out.println("all " + engines * runs + " have completed");
            } finally {
                open.forEach(DurableEngine::close);
            }
        }

        private static void check(EngineStatistics.Cache cache, int size) {
            System.out.println(cache);
            if (cache.runs() == 0
                    || cache.bytes() < cache.runs() * (7_000 + 2L * size)
                    || cache.bytes() > cache.maxBytes()) {
                System.out.println("too little is counted, or too much is kept: " + cache);
            }
        }

        private static void inThreads(int count, IntConsumer each) throws Exception {
            AtomicInteger next = new AtomicInteger();
            List<Future<?>> done = new ArrayList<>();
            try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
                for (int t = 0; t < THREADS; t++) {
                    done.add(threads.submit(() -> {
                        for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                            each.accept(i);
                        }
                    }));
                }
            }
            for (Future<?> one : done) {
                one.get();
            }
        }
    }

    /** A process that lists all runs, jobs and messages. */
    static final class Lister {
        private Lister() {}

        public static void main(String[] arguments) {
            try (HikariDataSource pool = pool(arguments);
                    DurableEngine engine =
                            engineOn(pool).register(Reader.class).clientOnly().start()) {
                DurableClient client = engine.client();
                System.out.println("runs " + client.workflows().stream().count());
                System.out.println("open "
                        + client
                                .workflows()
                                .where(w -> w.status(WorkflowStatus.RUNNING, WorkflowStatus.FAILED))
                                .oldestFirst()
                                .stream()
                                .count());
                System.out.println("page of " + client.workflows().page(10_000).size());
                System.out.println("jobs " + client.activities().stream().count());
                System.out.println("incidents " + client.incidents().stream().count());
                System.out.println("page of " + client.incidents().page(10_000).size());
                List<IncidentGroup> groups = client.incidents().groups(10);
                System.out.println(
                        "groups " + groups.size() + " of " + groups.getFirst().count());
            }
        }
    }
}
