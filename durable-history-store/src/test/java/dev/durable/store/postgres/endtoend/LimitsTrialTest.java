package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.DurableException;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Four workers under limits, while jobs and runs are cancelled, terminated and completed by hand at random, attempts
 * time out, bodies ignore their interrupts, and workers die: a ledger that each body enters and leaves never has more
 * bodies at once than the limits of its queue, its key and its activity. {@code -Dlimits.seconds=60} for longer, {@code
 * -Dseed=…} for one that failed.
 *
 * <p>A worker dies as a process does for the others: its connections are cut in the middle of a transaction, its bodies
 * do nothing from then on, and it reports nothing.
 */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class LimitsTrialTest {
    private static final Logger log = LoggerFactory.getLogger(LimitsTrialTest.class);
    private static final int SECONDS = Integer.getInteger("limits.seconds", 10);
    private static final int WORKERS = 4;
    private static final int MOST_OPEN = 40;
    private static final int KEYS = 3;
    private static final Map<String, Integer> LIMITS =
            Map.of("queue one", 1, "queue two", 2, "key customer-0", 1, "key customer-1", 1, "key customer-2", 1);
    private static final String[] KINDS = {"quick", "quick", "good", "deaf", "deaf", "throws", "beats"};

    @Activity(
            startToClose = "400ms",
            retry = @Retry(maxAttempts = 2, initialInterval = "30ms", onExhausted = OnExhausted.FAIL))
    interface Work {
        void work(String place, String kind, int millis);
    }

    /** An activity of whose jobs one runs at a time, by the key that it declares. */
    @Activity(
            limitKey = "scanner",
            startToClose = "400ms",
            retry = @Retry(maxAttempts = 2, initialInterval = "30ms", onExhausted = OnExhausted.FAIL))
    interface Scanner {
        void scan(String kind, int millis);
    }

    /** A workflow that closes without waiting when it is cancelled. */
    @Workflow
    static class Caller {
        @Run
        void run(String key, String kind, int millis) {
            Durable.activities(Work.class, o -> o.taskQueue("keys").limitKey(key))
                    .work("key " + key, kind, millis);
        }
    }

    private final TestDatabase database = TestDatabase.migrated();
    private final long seed = Long.getLong("seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<Worker> workers = new ArrayList<>();
    private final List<Thread> burials = new ArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final Map<String, AtomicInteger> inside = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> most = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> bodies = new ConcurrentHashMap<>();
    private int ids;

    @AfterEach
    void close() throws InterruptedException {
        over.countDown();
        for (Worker worker : workers) {
            worker.kill();
        }
        for (Thread burial : burials) {
            burial.join();
        }
        database.close();
    }

    @Test
    void never_more_bodies_run_at_once_than_the_limit_of_queue_key_and_activity() throws Exception {
        log.info("seed {}, {} seconds", seed, SECONDS);
        try (DurableEngine caller = Bench.takingOverSoon(database.pooledDataSource(6))
                .register(Caller.class)
                .clientOnly()
                .start()) {
            DurableClient client = caller.client();
            client.queues().limits("one", l -> l.concurrency(1));
            client.queues().limits("two", l -> l.concurrency(2));
            client.queues().limits("keys", l -> l.perKey(k -> k.concurrency(1)));
            for (int i = 0; i < WORKERS; i++) {
                workers.add(new Worker(i));
            }
            List<String> open = new ArrayList<>();
            long end = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
            long nextKill = System.nanoTime() + Duration.ofSeconds(2).toNanos();
            long latest = end + Duration.ofMinutes(2).toNanos();
            while (violations.isEmpty()
                    && (System.nanoTime() - end < 0 || (System.nanoTime() - latest < 0 && !isAllUsed()))) {
                open.removeIf(id -> random.nextInt(8) == 0 && isClosed(client, id));
                if (open.size() < MOST_OPEN) {
                    open.add(begin(client));
                } else {
                    disturb(client, open.get(random.nextInt(open.size())));
                }
                if (System.nanoTime() - nextKill > 0) {
                    int victim = random.nextInt(WORKERS);
                    workers.get(victim).kill();
                    workers.set(victim, new Worker(victim));
                    nextKill = System.nanoTime()
                            + Duration.ofMillis(2_000 + random.nextInt(3_000)).toNanos();
                }
                LockSupport.parkNanos(random.nextInt(10_000_000));
            }
            assertThat(violations).as("seed %d", seed).isEmpty();
            settle(client, open);
            assertThat(violations).as("seed %d", seed).isEmpty();
        }
        log.info("bodies {}, most at once {}", bodies, most);
        assertThat(most.keySet())
                .as("all were used")
                .containsAll(LIMITS.keySet())
                .contains("activity scanner");
        assertThat(most.get("queue two").get()).as("and to the full").isEqualTo(2);
        assertThat(bodies.keySet()).as("of each kind").contains("quick", "good", "deaf", "throws", "beats");
        assertThat(inside.values()).allSatisfy(left -> assertThat(left.get()).isZero());
        assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
    }

    /** Returns whether all limits were reached, which takes longer on a busy machine. */
    private boolean isAllUsed() {
        AtomicInteger two = most.get("queue two");
        return most.keySet().containsAll(LIMITS.keySet())
                && most.containsKey("activity scanner")
                && two != null
                && two.get() == 2
                && bodies.keySet().containsAll(List.of(KINDS));
    }

    // ── what is done to them ────────────────────────────────────────────────────────────────────────────────────────

    private String begin(DurableClient client) {
        String id = "job-" + ids++;
        String kind = KINDS[random.nextInt(KINDS.length)];
        int millis = kind.equals("quick") ? random.nextInt(20) : 50 + random.nextInt(900);
        switch (random.nextInt(4)) {
            case 0 ->
                client.enqueue(
                        Work.class, StartOptions.id(id).taskQueue("one"), w -> w.work("queue one", kind, millis));
            case 1 ->
                client.enqueue(
                        Work.class, StartOptions.id(id).taskQueue("two"), w -> w.work("queue two", kind, millis));
            case 2 -> client.enqueue(Scanner.class, StartOptions.id(id).taskQueue("keys"), s -> s.scan(kind, millis));
            default -> {
                String key = "customer-" + random.nextInt(KEYS);
                client.startVoid(Caller.class, StartOptions.id(id), w -> w.run(key, kind, millis));
            }
        }
        return id;
    }

    private void disturb(DurableClient client, String id) {
        try {
            WorkflowHandle<?, ?> run = client.handle(id);
            switch (random.nextInt(6)) {
                case 0, 1 -> run.cancel("at random");
                case 2 -> run.terminate("at random");
                case 3 -> client.activity(id, 1).complete(null);
                case 4 -> client.activity(id, 1).fail(new IllegalStateException("by hand"));
                default -> run.describe();
            }
        } catch (DurableException e) {
            log.debug("{} was closed already: {}", id, e.getMessage());
        }
    }

    private static boolean isClosed(DurableClient client, String id) {
        return client.handle(id).describe().summary().status() != WorkflowStatus.RUNNING;
    }

    /** Waits until all jobs that were begun have ended, and every place is free. */
    private void settle(DurableClient client, List<String> open) throws SQLException {
        long deadline = System.nanoTime() + Duration.ofSeconds(90).toNanos();
        while (!open.isEmpty() && violations.isEmpty()) {
            assertThat(System.nanoTime()).as("open: %s", open).isLessThan(deadline);
            open.removeIf(id -> isClosed(client, id));
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
        while (keptPlaces() > 0 && violations.isEmpty()) {
            assertThat(System.nanoTime()).as("kept places").isLessThan(deadline);
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
    }

    private int keptPlaces() throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select count(*) from durable.kept_place")) {
            row.next();
            return row.getInt(1);
        }
    }

    // ── the ledger ──────────────────────────────────────────────────────────────────────────────────────────────────

    private void enter(String place, String who) {
        int now = inside.computeIfAbsent(place, p -> new AtomicInteger()).incrementAndGet();
        most.computeIfAbsent(place, p -> new AtomicInteger()).accumulateAndGet(now, Math::max);
        if (now > LIMITS.getOrDefault(place, 1)) {
            violations.add(who + " is number " + now + " in " + place);
        }
    }

    private void leave(String place) {
        inside.get(place).decrementAndGet();
    }

    /** One worker process, as far as other processes can see. */
    private final class Worker implements Work, Scanner {
        private final HikariDataSource pool;
        private final DurableEngine engine;
        private volatile boolean dead;

        Worker(int number) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(database.jdbcUrl());
            config.setUsername(database.username());
            config.setPassword(database.password());
            config.setMaximumPoolSize(6);
            config.setMinimumIdle(1);
            pool = new HikariDataSource(config);
            engine = Bench.takingOverSoon(pool)
                    .identity("worker-" + number)
                    .cancelGrace(Duration.ofMillis(250))
                    .drainTimeout(Duration.ofMillis(200))
                    .register(Caller.class)
                    .activity(Work.class, this)
                    .activity(Scanner.class, this)
                    .queue("default", q -> q.slots(6))
                    .queue("one", q -> q.slots(6))
                    .queue("two", q -> q.slots(6))
                    .queue("keys", q -> q.slots(6))
                    .start();
        }

        void kill() {
            if (dead) {
                return;
            }
            dead = true;
            burials.add(Thread.ofPlatform().start(() -> {
                pool.close();
                engine.close();
            }));
        }

        @Override
        public void work(String place, String kind, int millis) {
            body(place, kind, millis);
        }

        @Override
        public void scan(String kind, int millis) {
            body("activity scanner", kind, millis);
        }

        private void body(String place, String kind, int millis) {
            ActivityContext context = ActivityContext.current();
            enter(
                    place,
                    context.info().workflowId() + " " + kind + " attempt "
                            + context.info().attempt());
            bodies.computeIfAbsent(kind, k -> new AtomicInteger()).incrementAndGet();
            try {
                run(context, kind, System.nanoTime() + Duration.ofMillis(millis).toNanos());
            } finally {
                leave(place);
                if (dead) {
                    standStill();
                }
            }
            if (kind.equals("throws")) {
                throw new IllegalStateException("at random");
            }
        }

        private void run(ActivityContext context, String kind, long end) {
            while (System.nanoTime() - end < 0 && !dead) {
                boolean told =
                        context.cancelRequested() || Thread.currentThread().isInterrupted();
                if (told && !kind.equals("deaf")) {
                    return;
                }
                Thread.interrupted(); // Otherwise no later call would park.
                if (kind.equals("beats")) {
                    context.heartbeat("on");
                }
                LockSupport.parkNanos(2_000_000);
            }
        }

        /** Stands still, as a process that was killed reports nothing. */
        private void standStill() {
            Thread.interrupted();
            while (over.getCount() > 0) {
                LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
                Thread.interrupted();
            }
        }
    }

    /** Checks the ledger itself, on which the trial depends. */
    @Test
    void the_ledger_notices_one_too_many() {
        Stream.of("a", "b").forEach(who -> enter("queue one", who));
        assertThat(violations).containsExactly("b is number 2 in queue one");
    }
}
