package dev.durable.benchmarks;

import java.util.stream.LongStream;

/**
 * Updates of one run, one after the other, each answered by its handler at once. Before and behind them runs are started
 * and awaited as in {@link Latency}, for the comparison.
 */
record Updates() implements Scenario.Apart {
    private static final int TIMES = 500;

    @Override
    public Figures measure(Contestant contestant, Database database, Settings settings) throws Exception {
        if (!(contestant instanceof DurableContestant durable)) {
            throw new Contestant.NotOffered("it has nothing of the kind");
        }
        int times = settings.sizeOr(TIMES);
        long warmEnough = System.nanoTime() + settings.warmup().toNanos();
        int warm = 0;
        do {
            updates(durable, "warm-" + warm, times);
            starts(durable, "warm-start-" + warm++ + "-", times);
        } while (System.nanoTime() < warmEnough);
        long[] before = starts(durable, "before-", times);
        Costs unused = Costs.now(database);
        long[] updates = updates(durable, "updated", times);
        Costs used = Costs.now(database).since(unused);
        long[] behind = starts(durable, "behind-", times);
        Scenario.check(contestant, 1L + warm + times * (2L + warm), times * (2L + warm));
        long[] starts =
                LongStream.concat(LongStream.of(before), LongStream.of(behind)).toArray();
        return new Figures.Builder()
                .percentiles("", updates)
                .cost("start+await p50 ms", Figures.percentile(starts, 50) / 1e6)
                .cost("x of start+await", Figures.percentile(updates, 50) / (double) Figures.percentile(starts, 50))
                .costs("update", times, used)
                .build();
    }

    /** Returns how long each took; the run's result is how many it has answered. */
    private static long[] updates(DurableContestant contestant, String id, int times) {
        long[] nanos = new long[times];
        var run = contestant.client().start(Work.Updated.class, id, w -> w.run(times));
        for (int i = 0; i < times; i++) {
            int value = i;
            long before = System.nanoTime();
            int answer = run.update(w -> w.next(value));
            nanos[i] = System.nanoTime() - before;
            Scenario.expect(id, value + 1, answer);
        }
        Scenario.expect(id, times, run.result());
        return nanos;
    }

    private static long[] starts(DurableContestant contestant, String prefix, int times) throws Exception {
        long[] nanos = new long[times];
        for (int i = 0; i < times; i++) {
            nanos[i] = Latency.once(contestant, prefix + i);
        }
        return nanos;
    }
}
