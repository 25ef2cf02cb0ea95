package dev.durable.benchmarks;

/** One run of very many steps, one after the other: does a step cost more the longer its history is? */
record LongRun() implements Scenario.InProcess {
    private static final int STEPS = 5000;
    private static final int WARM_UP = 500;

    @Override
    public Figures measure(Contestant contestant, Database database, Settings settings) throws Exception {
        int steps = settings.sizeOr(STEPS);
        Scenario.expect("warm-up", WARM_UP, contestant.steps("warm-up", WARM_UP, false));
        Costs unused = Costs.now(database);
        Scenario.expect("long", steps, contestant.steps("long", steps, false));
        Costs used = Costs.now(database).since(unused);
        Scenario.check(contestant, 2, (long) steps + WARM_UP);
        return new Figures.Builder()
                .cost("s", used.seconds())
                .rate("steps/s", steps / used.seconds())
                .costs("step", steps, used)
                .build();
    }
}
