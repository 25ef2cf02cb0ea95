package dev.durable.benchmarks;

/** Starts a run of one step, waits for its result, starts the next: how long a caller waits when nothing else runs. */
record Latency() implements Scenario.Apart {
    private static final int TIMES = 500;

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

    /** Returns how long one run took. */
    static long once(Contestant contestant, String id) throws Exception {
        long before = System.nanoTime();
        int result = contestant.steps(id, 1, false);
        long after = System.nanoTime();
        Scenario.expect(id, 1, result);
        return after - before;
    }
}
