package dev.durable.benchmarks;

/** One run of very many steps, one after the other: does a step cost more the longer its history is? */
record LongRun() implements Scenario.InProcess {
    private static final int STEPS = 5000;
    private static final int WARM_UP = 500;

    @Override
    public Figures measure(Contestant contestant, Database database, Settings settings) throws Exception {
        int steps = settings.sizeOr(STEPS);
        long warmEnough = System.nanoTime() + settings.warmup().toNanos();
        int warm = 0;
        do {
            Scenario.expect("warm-up", WARM_UP, contestant.steps("warm-" + warm++, WARM_UP, false));
        } while (System.nanoTime() < warmEnough);
        Costs unused = Costs.now(database);
        Scenario.expect("long", steps, contestant.steps("long", steps, false));
        Costs used = Costs.now(database).since(unused);
        Scenario.check(contestant, 1L + warm, (long) steps + (long) warm * WARM_UP);
        Figures.Builder figures =
                new Figures.Builder().cost("s", used.seconds()).rate("steps/s", steps / used.seconds());
        if (contestant instanceof DurableContestant) {
            figures.cost("last 500 / first", lastToFirst(database));
        }
        return figures.costs("step", steps, used).build();
    }

    /** How long the last steps took, as a part of how long the first took: by the times in the history. */
    private static double lastToFirst(Database database) throws Exception {
        return database.number("""
                with step as (select at, row_number() over (order by event_id) n, count(*) over () steps
                                from durable.v_history where workflow_id = 'long' and type = 'ActivityCompleted')
                select round(1000 * extract(epoch from max(at) - max(at) filter (where n = steps - 500))
                             / extract(epoch from max(at) filter (where n = 501) - min(at))) from step""") / 1000.0;
    }
}
