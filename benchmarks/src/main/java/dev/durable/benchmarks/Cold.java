package dev.durable.benchmarks;

import dev.durable.client.WorkflowHandle;
import java.time.Duration;

/** A process queries a run with a very long history that it has never seen: the history is read and replayed. */
record Cold() implements Scenario {
    private static final int EVENTS = 50_000;
    private static final int SHORT = 500;
    private static final Duration STUCK = Duration.ofMinutes(5);

    @Override
    public Figures play(Peer peer, Database database, Settings settings) throws Exception {
        if (peer != Peer.DURABLE) {
            throw new Contestant.NotOffered("its history is not replayed event by event");
        }
        int steps = settings.sizeOr(EVENTS);
        try (DurableContestant first = new DurableContestant(database, settings)) {
            put(first, "short", SHORT);
            put(first, "long", steps);
        }
        try (DurableContestant second = DurableContestant.client(database, settings)) {
            long warmEnough = System.nanoTime() + settings.warmup().toNanos();
            do {
                ask(second, "short", SHORT);
            } while (System.nanoTime() < warmEnough);
            Costs unused = Costs.now(database);
            ask(second, "long", steps);
            Costs used = Costs.now(database).since(unused);
            return new Figures.Builder()
                    .cost("s", used.seconds())
                    .rate("events/s", steps / used.seconds())
                    .costs("event", steps, used)
                    .build();
        }
    }

    private static void put(DurableContestant contestant, String id, int steps) throws Exception {
        var run = contestant.client().start(Work.LongHistory.class, id, w -> w.run(steps));
        long end = System.nanoTime() + STUCK.toNanos();
        while (run.query(Work.LongHistory::value) < steps) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException(id + " has not made its " + steps + " steps within " + STUCK);
            }
            Thread.sleep(100);
        }
    }

    private static void ask(DurableContestant contestant, String id, int steps) {
        WorkflowHandle<Work.LongHistory, ?> run = contestant.client().handle(Work.LongHistory.class, id);
        Scenario.expect(id, steps, run.query(Work.LongHistory::value));
    }
}
