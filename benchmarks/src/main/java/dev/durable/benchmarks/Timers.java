package dev.durable.benchmarks;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Very many sleeping runs of a worker with little memory; when they are due, how late do they go on? */
record Timers() implements Scenario {
    private static final int RUNS = 100_000;
    private static final int PER_SECOND = 1000;
    private static final int WARM_UP = 2000;
    private static final String HEAP = "512m";
    private static final Duration STUCK = Duration.ofMinutes(5);
    private static final long LOOK_MILLIS = 500;

    @Override
    public Figures play(Peer peer, Database database, Settings settings) throws Exception {
        if (peer != Peer.DURABLE) {
            throw new Contestant.NotOffered("not measured");
        }
        int runs = settings.sizeOr(RUNS);
        try (OtherJvm worker = OtherJvm.start(peer, database, settings, List.of("-Xmx" + HEAP));
                DurableContestant client = DurableContestant.client(database, settings)) {
            worker.awaitReady();
            Instant begun = Instant.now();
            start(client, settings, "warm-", WARM_UP, begun.toEpochMilli());
            Duration perRun = Duration.between(begun, Instant.now()).dividedBy(WARM_UP);
            Instant due = Instant.now().plus(perRun.multipliedBy(2L * runs)).plusSeconds(2);
            Costs unstarted = Costs.now(database);
            start(client, settings, "run-", runs, due.toEpochMilli());
            Costs started = Costs.now(database).since(unstarted);
            if (Instant.now().isAfter(due)) {
                throw new IllegalStateException(
                        "Starting the runs took longer than planned; the first were due before.");
            }
            awaitCompleted(database, (long) runs + WARM_UP, due.plusMillis(1000L * runs / PER_SECOND));
            refuse(DurableContestant.wrong(database, (long) runs + WARM_UP, 0));
            return new Figures.Builder()
                    .cost("late p50 ms", late(database, 0.5))
                    .cost("late p95 ms", late(database, 0.95))
                    .cost("late p99 ms", late(database, 0.99))
                    .cost("latest ms", late(database, 1))
                    .rate("started/s", runs / started.seconds())
                    .build();
        }
    }

    private static void start(DurableContestant client, Settings settings, String prefix, int runs, long dueMillis)
            throws Exception {
        InFlight.each(
                runs,
                settings.inFlight(),
                n -> client.client()
                        .start(Work.Sleeper.class, prefix + n, w -> w.run(dueMillis + n * 1000 / PER_SECOND)));
    }

    private static void awaitCompleted(Database database, long runs, Instant lastDue) throws Exception {
        Instant end = lastDue.plus(STUCK);
        while (database.number(Peer.DURABLE.completedSql()) < runs) {
            if (Instant.now().isAfter(end)) {
                throw new IllegalStateException("Some runs still sleep " + STUCK + " after the last one was due.");
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    private static double late(Database database, double share) throws Exception {
        return (double) database.number("""
                select percentile_disc(%s) within group (
                           order by (extract(epoch from closed_at) * 1000 - (result::text)::bigint)::bigint)
                  from durable.workflow_run where workflow_id like 'run-%%'""".formatted(share));
    }

    private static void refuse(List<String> wrong) {
        if (!wrong.isEmpty()) {
            throw new IllegalStateException("What was measured is wrong: " + String.join("; ", wrong));
        }
    }
}
