package dev.durable.benchmarks;

import java.util.concurrent.atomic.AtomicLong;

/** Many runs in flight, each of a few steps one after the other: the throughput of the whole way. */
record Steps(int steps, boolean local) implements Scenario.InProcess {

    @Override
    public Figures measure(Contestant contestant, Database database, Settings settings) throws Exception {
        AtomicLong next = new AtomicLong();
        InFlight.Run run = n -> one(contestant, n);
        database.execute("checkpoint");
        long before = InFlight.during(settings.warmup(), settings.inFlight(), next, run);
        Costs unused = Costs.now(database);
        long runs = InFlight.during(settings.time(), settings.inFlight(), next, run);
        Costs used = Costs.now(database).since(unused);
        Scenario.check(contestant, before + runs, (before + runs) * steps);
        return Figures.of("steps/s", runs * steps / used.seconds())
                .rate("runs/s", runs / used.seconds())
                .costs("step", (double) runs * steps, used)
                .build();
    }

    private void one(Contestant contestant, long number) throws Exception {
        Scenario.expect("run-" + number, steps, contestant.steps("run-" + number, steps, local));
    }
}
