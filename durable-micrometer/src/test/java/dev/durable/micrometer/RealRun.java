package dev.durable.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ActivityFailedException;
import dev.durable.ActivityTimedOutException;
import dev.durable.Durable;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.internal.engine.EngineBuilder;
import dev.durable.store.JobClaim;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.testing.TestDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.awaitility.Awaitility;

/**
 * Lets an engine on PostgreSQL do all that has a meter: three processes one after another (as engines), of which one dies as
 * far as the others can see.
 */
final class RealRun {
    private static final Duration LEASE = Duration.ofMillis(600);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final DataSource pool;
    private final MeterRegistry registry;
    private final Runnable atItsEnd;
    private final Doings doings = new Doings();

    /** @param atItsEnd run when all was done, while the last process still has its gauges */
    RealRun(TestDatabase database, MeterRegistry registry, Runnable atItsEnd) {
        this.pool = database.pooledDataSource(8);
        this.registry = registry;
        this.atItsEnd = atItsEnd;
    }

    @Activity(startToClose = "30s", retry = @Retry(maxAttempts = 2, initialInterval = "10ms"))
    public interface Doing {
        String well();

        void fail();

        @Activity(startToClose = "30ms", retry = @Retry(maxAttempts = 1))
        void last();

        void beat();

        void block(int gate);

        void hold();

        @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.INCIDENT))
        void bury();
    }

    /** Where a body waits until the test has seen that it runs. */
    static final class Gate {
        final CountDownLatch reached = new CountDownLatch(1);
        final CountDownLatch open = new CountDownLatch(1);

        boolean isReached() {
            return reached.getCount() == 0;
        }
    }

    static final class Doings implements Doing {
        final List<Gate> gates = List.of(new Gate(), new Gate());
        volatile Gate held = new Gate();

        @Override
        public String well() {
            return "well";
        }

        @Override
        public void fail() {
            throw new IllegalArgumentException("no");
        }

        @Override
        public void last() {
            await(new CountDownLatch(1));
        }

        @Override
        public void beat() {
            ActivityContext.current().checkpoint("half");
        }

        @Override
        public void block(int gate) {
            gates.get(gate).reached.countDown();
            await(gates.get(gate).open);
        }

        @Override
        public void hold() {
            held.reached.countDown();
            await(held.open);
        }

        @Override
        public void bury() {
            throw new IllegalStateException("buried");
        }

        private static void await(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Workflow
    public static class Everything {
        private final Doing doing;
        private boolean looked;
        private boolean go;

        public Everything(Doing doing) {
            this.doing = doing;
        }

        @Run
        public String run() {
            doing.well();
            try {
                doing.fail();
            } catch (ActivityFailedException expected) {
                // counted
            }
            try {
                doing.last();
            } catch (ActivityTimedOutException expected) {
                // counted
            }
            try {
                Durable.activities(Doing.class, o -> o.taskQueue("nobody").scheduleToStart(Duration.ofMillis(20)))
                        .well();
            } catch (ActivityTimedOutException expected) {
                // counted
            }
            doing.beat();
            Durable.sleep(Duration.ofMillis(20));
            Durable.await(() -> looked);
            Durable.await(() -> go);
            return "done";
        }

        @Signal
        public void look() {
            looked = true;
        }

        @Signal
        public void go() {
            go = true;
        }
    }

    @Workflow
    public static class Blocking {
        private final Doing doing;

        public Blocking(Doing doing) {
            this.doing = doing;
        }

        @Run
        public void run(int gate) {
            doing.block(gate);
        }
    }

    /** Calls a local activity, for which another one may leave no thread in time. */
    @Workflow
    public static class Local {
        private static final Duration IN_TIME = Duration.ofMillis(20);

        @Run
        public String run(boolean hold) {
            if (hold) {
                Durable.activities(Doing.class, o -> o.local(true)).hold();
                return "held";
            }
            try {
                return Durable.activities(Doing.class, o -> o.local(true).scheduleToClose(IN_TIME))
                        .well();
            } catch (ActivityTimedOutException expected) {
                return "too late";
            }
        }
    }

    @Workflow(stallOn = IllegalStateException.class)
    public static class Stalling {
        @Run
        public void run() {
            throw new IllegalStateException("not written yet");
        }
    }

    @Workflow
    public static class Waiting {
        private boolean go;

        @Run
        public String run() {
            Durable.await(() -> go);
            return "went";
        }

        @Signal
        public void go() {
            go = true;
        }
    }

    /** Does it all; each engine has the tag {@code process}. */
    void run() throws SQLException {
        try (PostgresHistoryStore store = PostgresHistoryStore.of(pool)) {
            store.open();
            enqueueForTheDead(store);
            firstProcess(store);
            secondProcess(store);
        }
    }

    /** A process that claims a job and is never heard of again. */
    private void enqueueForTheDead(PostgresHistoryStore store) {
        try (DurableEngine client = DurableEngine.builder(store)
                .activity(Doing.class, doings)
                .clientOnly()
                .start()) {
            client.client().enqueue(Doing.class, StartOptions.id("orphan"), Doing::well);
        }
        UUID dead = UUID.randomUUID();
        store.openSession(dead, "dead", Duration.ofMillis(200));
        store.claimJobs(new JobClaim(dead, "default", Set.of("Doing.well"), 1));
    }

    private void firstProcess(PostgresHistoryStore store) {
        try (DurableEngine engine = engine(store, "first").start()) {
            DurableClient client = engine.client();
            var everything = client.start(Everything.class, "everything", Everything::run);
            client.startVoid(Stalling.class, "stalling", Stalling::run);
            client.enqueue(Doing.class, StartOptions.id("incident"), Doing::bury);
            until(() ->
                    everything.history().stream().anyMatch(event -> event.type().equals("TimerFired")));
            everything.signal(Everything::look);
            until(() -> count(DurableMeter.CACHE_LOOKUPS, "result", "hit") > 0);
            until(() -> count(DurableMeter.CRASHED_JOBS) > 0);
            var terminated = client.startVoid(Blocking.class, "terminated", b -> b.run(0));
            until(doings.gates.get(0)::isReached);
            terminated.terminate("enough");
            doings.gates.get(0).open.countDown();
            until(() -> count(DurableMeter.STALE_REFUSALS) > 0);
        }
    }

    private void secondProcess(PostgresHistoryStore store) throws SQLException {
        try (DurableEngine engine = engine(store, "second")
                .sessionLease(LEASE)
                .cacheBytes(1_500)
                .queue("default", q -> q.slots(1))
                .start()) {
            DurableClient client = engine.client();
            inATransaction(client);
            for (int i = 0; i < 4; i++) {
                client.start(Waiting.class, "waiting-" + i, Waiting::run);
            }
            until(() -> count(DurableMeter.CACHE_EVICTIONS) > 0);
            WorkflowHandle<Everything, ?> everything = client.handle(Everything.class, "everything");
            until(() -> everything.describe().summary().status() == WorkflowStatus.COMPLETED);

            for (int i = 0; count(DurableMeter.ACTIVITY_NOT_BEGUN) == 0; i++) {
                callTooLate(client, i);
            }

            client.startVoid(Blocking.class, "blocks-the-slot", b -> b.run(1));
            until(doings.gates.get(1)::isReached);
            client.enqueue(Doing.class, StartOptions.id("waits"), Doing::well);
            until(() -> count(DurableMeter.CLAIMS_SKIPPED) > 0);
            doings.gates.get(1).open.countDown();

            declareDead();
            until(() -> count(DurableMeter.SESSIONS_LOST) > 0);
            until(() -> registry.find(DurableMeter.INCIDENTS.meterName()).gauge() != null);
            atItsEnd.run();
        }
    }

    /** Again where the turn that calls was made so late that the gate had been opened before. */
    private void callTooLate(DurableClient client, int number) {
        Gate gate = new Gate();
        doings.held = gate;
        client.start(Local.class, "holds-" + number, l -> l.run(true));
        until(gate::isReached);
        var late = client.start(Local.class, "late-" + number, l -> l.run(false));
        long called = System.nanoTime();
        until(() -> System.nanoTime() - called > 2 * Local.IN_TIME.toNanos());
        gate.open.countDown();
        assertThat(late.result(PATIENCE)).isIn("well", "too late");
    }

    private void inATransaction(DurableClient client) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            DurableClient joined = client.joining(connection);
            joined.handle(Everything.class, "everything").signal(Everything::go);
            joined.start(Waiting.class, "joined", Waiting::run);
            connection.commit();
        }
    }

    private void declareDead() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("update durable.session set dead = true");
        }
    }

    private EngineBuilder engine(PostgresHistoryStore store, String process) {
        return new EngineBuilder(store)
                .register(Everything.class, Blocking.class, Stalling.class, Waiting.class, Local.class)
                .activity(Doing.class, doings)
                .pollInterval(Duration.ofMillis(50))
                .observe(DurableMetrics.of(registry, Tags.of("process", process)));
    }

    /** How often it was counted, with whatever other tags. */
    double count(DurableMeter meter, String... tags) {
        return registry.find(meter.meterName()).tags(tags).counters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }

    private static void until(Callable<Boolean> condition) {
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(condition);
    }
}
