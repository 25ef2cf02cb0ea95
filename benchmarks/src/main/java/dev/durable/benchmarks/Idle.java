package dev.durable.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.durable.client.DurableEngine;
import dev.durable.store.postgres.PostgresHistoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Measures what ten idle workers cost the server while 100,000 runs sleep. */
record Idle() implements Scenario {
    private static final int RUNS = 100_000;
    private static final int WORKERS = 10;
    private static final int CONNECTIONS = 4;

    @Override
    public Figures play(Peer peer, Database database, Settings settings) throws Exception {
        if (peer != Peer.DURABLE) {
            throw new Contestant.NotOffered("not measured");
        }
        putToSleep(database, settings);
        // They have slept for a while: what autovacuum does about the rows just written is no part of idling.
        database.execute("vacuum (analyze)");
        AtomicLong statements = new AtomicLong();
        List<AutoCloseable> workers = new ArrayList<>();
        try {
            for (int i = 0; i < WORKERS; i++) {
                HikariDataSource pool = database.pool(CONNECTIONS);
                workers.add(pool);
                workers.add(DurableEngine.builder(PostgresHistoryStore.of(CountedStatements.of(pool, statements)))
                        .register(Work.workflows())
                        .register(new Work.Counting(), new Work.Writing(Ledger.at(settings.ledger())))
                        .start());
            }
            Thread.sleep(settings.warmup());
            long before = statements.get();
            Costs unused = Costs.now(database);
            Thread.sleep(settings.time());
            Costs used = Costs.now(database).since(unused);
            long sent = statements.get() - before;
            return new Figures.Builder()
                    .cost("server CPU %", used.server().toNanos() / 1e7 / used.seconds())
                    .cost("statements/s", sent / used.seconds())
                    .cost("commits/s", used.commits() / used.seconds())
                    .cost("JVM CPU %", used.jvm().toNanos() / 1e7 / used.seconds())
                    .build();
        } finally {
            for (AutoCloseable worker : workers.reversed()) {
                worker.close();
            }
        }
    }

    private static void putToSleep(Database database, Settings settings) throws Exception {
        long until = Instant.now().plus(Duration.ofDays(30)).toEpochMilli();
        try (DurableContestant first = new DurableContestant(database, settings)) {
            InFlight.each(
                    settings.sizeOr(RUNS),
                    settings.inFlight(),
                    n -> first.client().start(Work.Sleeper.class, "sleeper-" + n, w -> w.run(until)));
        }
    }
}
