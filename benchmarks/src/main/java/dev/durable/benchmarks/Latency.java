package dev.durable.benchmarks;

import java.util.List;

/** Starts a run of one step, waits for its result, starts the next: how long a caller waits when nothing else runs. */
record Latency() implements Scenario.InProcess {
    private static final int TIMES = 500;

    @Override
    public Figures play(Peer peer, Database database, Settings settings) throws Exception {
        if (!settings.twoProcesses()) {
            return Scenario.InProcess.super.play(peer, database, settings);
        }
        if (peer != Peer.DURABLE) {
            throw new Contestant.NotOffered("measured in one process only");
        }
        try (OtherJvm worker = OtherJvm.start(peer, database, settings, List.of("-Xmx1g"));
                Contestant client = DurableContestant.client(database, settings)) {
            worker.awaitReady();
            return measure(client, database, settings);
        }
    }

    @Override
    public Figures measure(Contestant contestant, Database database, Settings settings) throws Exception {
        int times = settings.sizeOr(TIMES);
        long warmEnough = System.nanoTime() + settings.warmup().toNanos();
        int warm = 0;
        while (warm < times || System.nanoTime() < warmEnough) {
            once(contestant, "warm-" + warm++);
        }
        long[] nanos = new long[times];
        Costs unused = Costs.now(database);
        for (int i = 0; i < times; i++) {
            nanos[i] = once(contestant, "run-" + i);
        }
        Costs used = Costs.now(database).since(unused);
        Scenario.check(contestant, (long) times + warm, (long) times + warm);
        return new Figures.Builder()
                .percentiles("", nanos)
                .costs("run", times, used)
                .build();
    }

    private static long once(Contestant contestant, String id) throws Exception {
        long before = System.nanoTime();
        int result = contestant.steps(id, 1, false);
        long after = System.nanoTime();
        Scenario.expect(id, 1, result);
        return after - before;
    }
}
