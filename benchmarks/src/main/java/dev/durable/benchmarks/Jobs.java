package dev.durable.benchmarks;

/** Background jobs: enqueued while no worker runs, then executed, all that there are. */
record Jobs() implements Scenario.InProcess {
    private static final int JOBS = 100_000;
    private static final int WARM_UP = 2_000;

    @Override
    public Figures measure(Contestant contestant, Database database, Settings settings) throws Exception {
        int jobs = settings.sizeOr(JOBS);
        contestant.enqueue(WARM_UP);
        contestant.executeAll(WARM_UP);
        Costs unused = Costs.now(database);
        contestant.enqueue(jobs);
        Costs enqueued = Costs.now(database);
        contestant.executeAll(jobs);
        Costs executed = Costs.now(database);
        Scenario.check(contestant, (long) jobs + WARM_UP, 0);
        return Figures.of("jobs/s", jobs / executed.since(enqueued).seconds())
                .rate("enqueued/s", jobs / enqueued.since(unused).seconds())
                .rate("jobs/s, both", jobs / executed.since(unused).seconds())
                .costs("job", jobs, executed.since(unused))
                .build();
    }
}
