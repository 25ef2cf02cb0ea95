package dev.durable.benchmarks;

/** One run that puts many steps in flight at once and waits for all of them. */
record Fanout() implements Scenario.InProcess {
    private static final int SIZE = 1000;
    private static final int WARM_UP = 1000;

    @Override
    public Figures measure(Contestant contestant, Database database, Settings settings) throws Exception {
        int size = settings.sizeOr(SIZE);
        int warm = 0;
        long warmEnough = System.nanoTime() + settings.warmup().toNanos();
        do {
            once(contestant, "warm-" + warm++, WARM_UP);
        } while (warm < 2 || System.nanoTime() < warmEnough);
        Costs unused = Costs.now(database);
        once(contestant, "fan", size);
        Costs used = Costs.now(database).since(unused);
        Scenario.check(contestant, 1L + warm, 0);
        return new Figures.Builder()
                .cost("s", used.seconds())
                .rate("branches/s", size / used.seconds())
                .costs("branch", size, used)
                .build();
    }

    private static void once(Contestant contestant, String id, int size) throws Exception {
        Scenario.expect(id, (long) size * (size + 1) / 2, contestant.fanout(id, size));
    }
}
