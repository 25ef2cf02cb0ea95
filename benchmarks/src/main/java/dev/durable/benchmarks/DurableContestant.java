package dev.durable.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.micrometer.DurableMetrics;
import dev.durable.micrometer.DurableTracing;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.SqlInvariants;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** Takes part as Durable itself: worker and client in this process, or a client alone. */
final class DurableContestant implements Contestant {
    private static final int CONNECTIONS = 10;
    private static final int STARTERS = 64;
    private static final int ENQUEUERS = 256;
    private static final String JOBS = "jobs";
    private static final Duration STUCK = Duration.ofSeconds(90);

    private final Database database;
    private final Settings settings;
    private final HikariDataSource pool;
    private final Ledger ledger;
    private final DurableEngine engine;
    private final DurableClient client;
    private int enqueued;

    DurableContestant(Database database, Settings settings) throws IOException {
        this(database, settings, builder -> {});
    }

    /** Starts and awaits runs that other processes run. */
    static DurableContestant client(Database database, Settings settings) throws IOException {
        return new DurableContestant(database, settings, DurableEngine.Builder::clientOnly);
    }

    /** A contestant whose work is measured and traced, by handlers that keep nothing. */
    static DurableContestant observed(Database database, Settings settings) throws IOException {
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(context -> true);
        return new DurableContestant(
                database,
                settings,
                builder -> builder.observe(DurableMetrics.of(new SimpleMeterRegistry()))
                        .intercept(DurableTracing.of(observations)));
    }

    private DurableContestant(Database database, Settings settings, Consumer<DurableEngine.Builder> customizer)
            throws IOException {
        this.database = database;
        this.settings = settings;
        this.pool = database.pool(settings.connectionsOr(CONNECTIONS));
        this.ledger = Ledger.at(settings.ledger());
        DurableEngine.Builder builder = DurableEngine.builder(PostgresHistoryStore.of(pool))
                .register(Work.workflows())
                .register(new Work.Counting(), new Work.Writing(ledger))
                .sessionLease(settings.worker().sessionLease())
                .queue(
                        "default",
                        queue -> queue.slots(settings.worker().slots())
                                .virtualThreads(settings.worker().virtualThreads()));
        customizer.accept(builder);
        this.engine = builder.start();
        this.client = engine.client();
    }

    DurableClient client() {
        return client;
    }

    @Override
    public int steps(String id, int steps, boolean local) {
        return local
                ? client.start(Work.LocalSequence.class, id, w -> w.run(steps)).result(STUCK)
                : client.start(Work.Sequence.class, id, w -> w.run(steps)).result(STUCK);
    }

    @Override
    public long fanout(String id, int size) {
        return client.start(Work.Fanout.class, id, w -> w.run(size)).result(STUCK);
    }

    @Override
    public long children(String id, int size) {
        return client.start(Work.Parent.class, id, w -> w.run(size)).result(STUCK);
    }

    @Override
    public long starts(String prefix, int size, int atOnce) throws Exception {
        LongAdder sum = new LongAdder();
        InFlight.each(
                size,
                atOnce,
                n -> sum.add(client.start(Work.Child.class, prefix + n, w -> w.run((int) n))
                        .result(STUCK)));
        return sum.sum();
    }

    /** Starts a chain of so many runs, and waits for its result: the number of runs. */
    int chain(String id, int links) {
        return client.start(Work.Link.class, id, w -> w.run(0, links)).result(STUCK);
    }

    /** To a queue that this engine does not serve. */
    @Override
    public void enqueue(int jobs) throws Exception {
        InFlight.each(
                jobs,
                ENQUEUERS,
                n -> client.enqueue(
                        Work.Jobs.class,
                        StartOptions.id("job-" + (enqueued + n)).taskQueue(JOBS),
                        job -> job.run((int) n)));
        enqueued += jobs;
    }

    @Override
    public void executeAll(int jobs) throws Exception {
        CountDownLatch left = new CountDownLatch(jobs);
        try (DurableEngine worker = DurableEngine.builder(PostgresHistoryStore.of(pool))
                .activity(Work.Jobs.class, value -> left.countDown())
                .queue(
                        JOBS,
                        queue -> queue.slots(settings.worker().slots())
                                .virtualThreads(settings.worker().virtualThreads()))
                .start()) {
            if (!left.await(10, TimeUnit.MINUTES)) {
                throw new IllegalStateException(left.getCount() + " jobs were not executed within ten minutes, by a "
                        + (worker.healthy() ? "healthy worker" : "worker that is not healthy"));
            }
        }
    }

    @Override
    public void startMany(int runs, int steps) throws Exception {
        InFlight.each(
                runs, STARTERS, n -> client.start(Work.Ledgered.class, "ledgered-" + n, w -> w.run((int) n, steps)));
    }

    @Override
    public List<String> check(long runs, long steps) throws SQLException {
        return wrong(database, runs, steps);
    }

    /** The faults of a database of Durable's in which all runs have completed; steps may have been more. */
    static List<String> wrong(Database database, long runs, long steps) throws SQLException {
        List<String> wrong = new ArrayList<>();
        try (HikariDataSource pool = database.pool(1)) {
            wrong.addAll(SqlInvariants.check(pool));
        }
        long completed = database.number(Peer.DURABLE.completedSql());
        if (completed != runs) {
            wrong.add(completed + " completed runs instead of " + runs);
        }
        long open = database.number("select count(*) from durable.run_state");
        if (open > 0) {
            wrong.add(open + " runs are open");
        }
        long ended = database.number(
                "select count(distinct (run_id, attributes->>'seq')) from durable.history_event where type = 'ActivityCompleted'");
        if (ended < steps) {
            wrong.add(ended + " completed steps instead of " + steps);
        }
        long events = database.number("select count(*) from durable.history_event where type = 'ActivityCompleted'");
        if (events != ended) {
            wrong.add((events - ended) + " steps completed more than once");
        }
        return wrong;
    }

    @Override
    public void close() throws IOException {
        engine.close();
        pool.close();
        ledger.close();
    }
}
