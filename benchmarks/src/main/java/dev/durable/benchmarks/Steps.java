package dev.durable.benchmarks;

import java.util.concurrent.atomic.AtomicLong;

/** Many runs in flight, each of a few steps one after the other: the throughput of the whole way. */
record Steps(int steps, boolean local) implements Scenario {

    @Override
    public Figures measure(Contestant contestant, Database database, Settings settings) throws Exception {
        AtomicLong number = new AtomicLong();
        InFlight.Run run = n -> one(contestant, n);
        database.execute("checkpoint");
        new InFlight(number).during(settings.warmup(), settings.inFlight(), run);
        Costs before = Costs.now(database);
        long runs = new InFlight(number).during(settings.time(), settings.inFlight(), run);
        Costs used = Costs.now(database).since(before);
        Scenario.check(contestant, number.get(), number.get() * steps);
        long done = runs * steps;
        return Figures.of("steps/s", done / used.seconds())
                .rate("runs/s", runs / used.seconds())
                .costs("step", done, used)
                .build();
    }

    private void one(Contestant contestant, long number) throws Exception {
        int result = contestant.steps("run-" + number, steps, local);
        if (result != steps) {
            throw new IllegalStateException("run-" + number + " gave " + result + ", not " + steps);
        }
    }
}
