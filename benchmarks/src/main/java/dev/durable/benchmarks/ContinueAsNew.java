package dev.durable.benchmarks;

/**
 * Chains of runs, each of which makes one local step and continues as new: first one chain alone, then many at once. A
 * link that was fed nothing would wait for a second, hence the step.
 */
record ContinueAsNew() implements Scenario.InProcess {
    private static final int LINKS = 1000;
    private static final int CHAINS = 64;
    /** The chains that go on beside one another are shorter than the one that is alone, by this factor. */
    private static final int SHORTER = 5;

    @Override
    public Figures measure(Contestant contestant, Database database, Settings settings) throws Exception {
        if (!(contestant instanceof DurableContestant durable)) {
            throw new Contestant.NotOffered("it has nothing of the kind");
        }
        int links = settings.sizeOr(LINKS);
        int shorter = Math.max(1, links / SHORTER);
        int warm = 0;
        long warmEnough = System.nanoTime() + settings.warmup().toNanos();
        do {
            one(durable, "warm-" + warm, links);
            many(durable, "warm-" + warm++ + "-", shorter);
        } while (System.nanoTime() < warmEnough);
        Costs unused = Costs.now(database);
        one(durable, "alone", links);
        Costs alone = Costs.now(database).since(unused);
        unused = Costs.now(database);
        many(durable, "chain-", shorter);
        Costs together = Costs.now(database).since(unused);
        int chains = 1 + CHAINS;
        long continued = links + (long) CHAINS * shorter;
        Scenario.check(contestant, (1L + warm) * chains, (1 + warm) * continued);
        Scenario.expect(
                "the count of runs that continued",
                (1 + warm) * (continued - chains),
                database.number("select count(*) from durable.workflow_run where status = 'CONTINUED_AS_NEW'"));
        double all = (double) CHAINS * (shorter - 1);
        return Figures.of("continuations/s", all / together.seconds())
                .rate("of one chain/s", (links - 1) / alone.seconds())
                .costs("continuation", all, together)
                .build();
    }

    private static void many(DurableContestant contestant, String prefix, int links) throws Exception {
        InFlight.each(CHAINS, CHAINS, n -> one(contestant, prefix + n, links));
    }

    private static void one(DurableContestant contestant, String id, int links) {
        Scenario.expect(id, links, contestant.chain(id, links));
    }
}
