package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.CancelledException;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.StoreUnavailableException;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.History;
import dev.durable.history.HistoryEvent;
import dev.durable.history.SideEffectRecorded;
import dev.durable.history.SignalReceived;
import dev.durable.history.WorkflowCancelled;
import dev.durable.history.WorkflowCompleted;
import dev.durable.history.WorkflowFailed;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.testing.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
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
 * Runs that drain a queue and end when it is empty, signalled by four clients while they take what may be their last
 * step, on three worker processes that are killed and stopped at random: each signal that was accepted was greeted, or
 * came when the run was already compensating, and is counted as late. Every other run is started with its first signal.
 */
@Timeout(1_800)
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class DrainKillTest {
    private static final Logger log = LoggerFactory.getLogger(DrainKillTest.class);
    private static final int RUNS = Integer.getInteger("drain.runs", 16);
    private static final int SIGNALS = Integer.getInteger("drain.signals", 20);
    /** Seconds for which no worker runs while signals come. */
    private static final int AWAY = Integer.getInteger("drain.away", 0);

    private static final int PROCESSES = 3;
    private static final int CLIENTS = 4;
    private static final String[] ENDS = {"returns", "fails", "undoes", "is cancelled"};

    private final TestDatabase database = TestDatabase.migrated();
    private final long seed = Long.getLong("seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final WorkerProcesses workers = new WorkerProcesses(database, Worker.class);
    private final Map<String, AtomicInteger> accepted = new ConcurrentHashMap<>();
    private final AtomicInteger refused = new AtomicInteger();

    @Activity(startToClose = "20s", retry = @dev.durable.Retry(initialInterval = "50ms"))
    interface Greetings {
        String greet(String name);

        void undo();
    }

    @Workflow
    static class Drain {
        private final Greetings greetings;
        private final Queue<String> queue = new ArrayDeque<>();
        private int greeted;

        Drain(Greetings greetings) {
            this.greetings = greetings;
        }

        @Run
        public int run(String end) {
            if (end.equals("undoes")) {
                Durable.compensate(greetings::undo);
            }
            try {
                Durable.await(() -> !queue.isEmpty());
                while (!queue.isEmpty()) {
                    greetings.greet(queue.peek());
                    queue.remove();
                    greeted++;
                }
                if (end.equals("is cancelled")) {
                    Durable.await(() -> false);
                }
            } catch (CancelledException e) {
                // The elements that are left are greeted at the end.
                greeted += queue.size();
                throw e;
            } finally {
                int all = greeted;
                Durable.detached(() -> Durable.sideEffect(Integer.class, () -> all));
            }
            if (end.equals("returns")) {
                return greeted;
            }
            throw new IllegalStateException("greeted " + greeted);
        }

        @Signal
        public void add(String name) {
            queue.add(name);
        }
    }

    @BeforeEach
    void open() {
        log.info("seed {}", seed);
        try (var store = dev.durable.store.postgres.PostgresHistoryStore.of(database.dataSource())) {
            store.open();
        }
    }

    @AfterEach
    void drop() throws InterruptedException {
        workers.close();
        database.close();
    }

    @Test
    void what_was_accepted_is_greeted_or_counted_as_late() throws Exception {
        workers.start(PROCESSES);
        int late = 0;
        int greeted = 0;
        try (DurableEngine engine =
                Bench.takingOverSoon(database.pooledDataSource(8)).clientOnly().start()) {
            DurableClient client = engine.client();
            List<WorkflowHandle<Drain, Integer>> runs =
                    IntStream.range(0, RUNS).mapToObj(i -> start(client, i)).toList();
            disturbWhile(send(runs));
            for (WorkflowHandle<Drain, Integer> run : runs) {
                if (ENDS[index(run) % ENDS.length].equals("is cancelled")) {
                    cancel(run);
                }
            }
            for (WorkflowHandle<Drain, Integer> run : runs) {
                awaitEnd(run);
                History history = client.history(run.workflowId());
                int lateHere = late(history.getLast());
                int greetedHere = greeted(history);
                late += lateHere;
                greeted += greetedHere;
                assertThat(greetedHere + lateHere)
                        .as(
                                "greeted and late of %s, of which %d were accepted; it %s",
                                run.workflowId(), accepted(run).get(), ENDS[index(run) % ENDS.length])
                        .isEqualTo(accepted(run).get());
                if (!ENDS[index(run) % ENDS.length].equals("undoes")) {
                    assertThat(lateHere)
                            .as("late in %s, which has nothing to clean up", run.workflowId())
                            .isZero();
                }
                assertThat(history.stream().filter(SignalReceived.class::isInstance))
                        .hasSize(accepted(run).get());
            }
        }
        log.info("{} runs: {} greeted, {} late, {} refused", RUNS, greeted, late, refused.get());
        assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
    }

    // ── what is counted ─────────────────────────────────────────────────────────────────────────────────────────────

    private static int index(WorkflowHandle<?, ?> run) {
        return Integer.parseInt(run.workflowId().substring("drain-".length()));
    }

    private AtomicInteger accepted(WorkflowHandle<?, ?> run) {
        return accepted.computeIfAbsent(run.workflowId(), id -> new AtomicInteger());
    }

    private static int late(HistoryEvent closing) {
        return switch (closing) {
            case WorkflowCompleted e -> e.lateMessages();
            case WorkflowFailed e -> e.lateMessages();
            case WorkflowCancelled e -> e.lateMessages();
            default -> throw new AssertionError("it ended otherwise: " + closing);
        };
    }

    /** The count that the code recorded at its end. */
    private static int greeted(History history) {
        return history.stream()
                .filter(SideEffectRecorded.class::isInstance)
                .mapToInt(event ->
                        Integer.parseInt(((SideEffectRecorded) event).value().json()))
                .reduce((first, last) -> last)
                .orElseThrow();
    }

    private static void awaitEnd(WorkflowHandle<Drain, Integer> run) {
        try {
            run.result(Duration.ofMinutes(2));
        } catch (WorkflowFailedException e) {
            log.debug("{} ended: {}", run.workflowId(), e.getMessage());
        }
    }

    private static void cancel(WorkflowHandle<Drain, Integer> run) {
        try {
            run.cancel("closing time");
        } catch (WorkflowNotFoundException e) {
            throw new AssertionError(run.workflowId() + " ended before it was cancelled", e);
        }
    }

    // ── who sends, who disturbs ─────────────────────────────────────────────────────────────────────────────────────

    private List<Thread> send(List<WorkflowHandle<Drain, Integer>> runs) {
        Queue<WorkflowHandle<Drain, Integer>> left = new ConcurrentLinkedQueue<>(runs);
        return IntStream.range(0, CLIENTS)
                .mapToObj(i -> Thread.ofPlatform().start(() -> sendTo(left, new Random(seed + i))))
                .toList();
    }

    private WorkflowHandle<Drain, Integer> start(DurableClient client, int i) {
        String end = ENDS[i % ENDS.length];
        if (i / ENDS.length % 2 == 0) {
            return client.start(Drain.class, "drain-" + i, w -> w.run(end));
        }
        WorkflowHandle<Drain, Integer> run = client.signalWithStart(
                Drain.class, StartOptions.id("drain-" + i), w -> w.run(end), w -> w.add("first guest"));
        accepted(run).incrementAndGet();
        return run;
    }

    /** Sends a few at once, then pauses about as long as a step takes. */
    private void sendTo(Queue<WorkflowHandle<Drain, Integer>> left, Random pauses) {
        for (WorkflowHandle<Drain, Integer> run = left.poll(); run != null; run = left.poll()) {
            boolean open = true;
            for (int i = 0; open && i < SIGNALS; i++) {
                open = signal(run, "guest " + i);
                LockSupport.parkNanos(pauses.nextInt(12_000_000));
            }
        }
    }

    private boolean signal(WorkflowHandle<Drain, Integer> run, String name) {
        while (true) {
            try {
                run.signal(w -> w.add(name));
                accepted(run).incrementAndGet();
                return true;
            } catch (WorkflowNotFoundException e) {
                refused.incrementAndGet();
                return false;
            } catch (StoreUnavailableException e) {
                throw new AssertionError("the database was there all the time", e);
            }
        }
    }

    private void disturbWhile(List<Thread> senders) throws Exception {
        for (Process worker : AWAY > 0 ? workers.all() : List.<Process>of()) {
            tell(worker, "STOP");
        }
        LockSupport.parkNanos(Duration.ofSeconds(AWAY).toNanos());
        for (Process worker : AWAY > 0 ? workers.all() : List.<Process>of()) {
            tell(worker, "CONT");
        }
        while (senders.stream().anyMatch(Thread::isAlive)) {
            LockSupport.parkNanos(Duration.ofMillis(300 + random.nextInt(1_500)).toNanos());
            int victim = random.nextInt(PROCESSES);
            if (random.nextBoolean()) {
                workers.replace(victim);
            } else {
                tell(workers.all().get(victim), "STOP");
                LockSupport.parkNanos(Duration.ofMillis(random.nextInt(4_500)).toNanos());
                tell(workers.all().get(victim), "CONT");
            }
        }
        for (Thread sender : senders) {
            sender.join();
        }
    }

    private static void tell(Process process, String what) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + what, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    /** A worker, until it is killed. */
    static final class Worker {
        private Worker() {}

        public static void main(String[] arguments) throws InterruptedException {
            WorkerProcesses.serve(
                    arguments,
                    engine -> engine.register(Drain.class)
                            .activity(Greetings.class, new Greeter())
                            .queue("default", queue -> queue.slots(8)));
        }
    }

    private static final class Greeter implements Greetings {
        @Override
        public String greet(String name) {
            LockSupport.parkNanos(5_000_000);
            return "hello " + name;
        }

        @Override
        public void undo() {
            LockSupport.parkNanos(20_000_000);
        }
    }
}
