package dev.durable.benchmarks;

/**
 * One run that starts many children at once and waits for all of them; and as many runs of the child's type that the
 * client starts and waits for, as that is what a child can cost at least.
 */
record Children() implements Scenario.InProcess {
    private static final int SIZE = 1000;
    private static final int WARM_UP = 1000;

    @Override
    public Figures measure(Contestant contestant, Database database, Settings settings) throws Exception {
        int size = settings.sizeOr(SIZE);
        int atOnce = settings.inFlight();
        int warm = 0;
        long warmEnough = System.nanoTime() + settings.warmup().toNanos();
        do {
            parent(contestant, "warm-" + warm, WARM_UP);
            starts(contestant, "warm-start-" + warm++ + "-", WARM_UP, atOnce);
        } while (warm < 2 || System.nanoTime() < warmEnough);
        Costs unstarted = Costs.now(database);
        starts(contestant, "start-", size, atOnce);
        Costs started = Costs.now(database).since(unstarted);
        Costs unused = Costs.now(database);
        parent(contestant, "parent", size);
        Costs used = Costs.now(database).since(unused);
        Scenario.check(contestant, warm * (2L * WARM_UP + 1) + 2L * size + 1, 0);
        return new Figures.Builder()
                .cost("s", used.seconds())
                .rate("children/s", size / used.seconds())
                .cost("starts s", started.seconds())
                .cost("x of starts", used.seconds() / started.seconds())
                .costs("child", size, used)
                .build();
    }

    private static void parent(Contestant contestant, String id, int size) throws Exception {
        Scenario.expect(id, sum(size), contestant.children(id, size));
    }

    private static void starts(Contestant contestant, String prefix, int size, int atOnce) throws Exception {
        Scenario.expect(prefix + "…", sum(size), contestant.starts(prefix, size, atOnce));
    }

    /** The sum of the results: child 0 gives 1, the next 2, and so on. */
    private static long sum(int size) {
        return (long) size * (size + 1) / 2;
    }
}
