package dev.durable.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A worker is killed with many runs half done, and another one, started at that moment, goes on. */
record Recovery() implements Scenario {
    private static final int RUNS = 2000;
    private static final int STEPS = 20;
    private static final Duration STUCK = Duration.ofMinutes(5);
    private static final long LOOK_MILLIS = 50;

    @Override
    public Figures play(Peer peer, Database database, Settings settings) throws Exception {
        if (peer != Peer.DURABLE && peer != Peer.DBOS) {
            throw new Contestant.NotOffered("it has no runs of several steps");
        }
        int runs = settings.sizeOr(RUNS);
        long all = (long) runs * STEPS;
        long before;
        try (OtherJvm first = OtherJvm.start(peer, database, settings, "1g")) {
            first.awaitReady();
            first.startMany(runs, STEPS);
            while (Ledger.count(settings.ledger()) < all / 2) {
                Thread.sleep(LOOK_MILLIS);
            }
            first.kill();
        }
        long killed = System.nanoTime();
        before = Ledger.count(settings.ledger());
        if (database.number(peer.completedSql()) >= runs) {
            throw new IllegalStateException("All runs had completed when the worker was killed: take more of them.");
        }
        try (OtherJvm second = OtherJvm.start(peer, database, settings, "1g")) {
            second.awaitReady();
            awaitCompleted(database, peer, runs);
        }
        double seconds = (System.nanoTime() - killed) / 1e9;
        if (peer == Peer.DURABLE) {
            refuse(DurableContestant.wrong(database, runs, all));
        }
        Map<Long, Integer> effects = Ledger.read(settings.ledger());
        if (effects.size() != all) {
            refuse(List.of((all - effects.size()) + " steps never took effect"));
        }
        long repeated = Ledger.count(settings.ledger()) - all;
        return new Figures.Builder()
                .cost("s until all completed", seconds)
                .cost("steps repeated", (double) repeated)
                .rate("steps before the kill", (double) before)
                .build();
    }

    private static void awaitCompleted(Database database, Peer peer, int runs) throws Exception {
        long end = System.nanoTime() + STUCK.toNanos();
        long completed = 0;
        while (completed < runs) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException((runs - completed) + " runs are not completed " + STUCK.toMinutes()
                        + " minutes after the kill");
            }
            Thread.sleep(LOOK_MILLIS);
            completed = database.number(peer.completedSql());
        }
    }

    private static void refuse(List<String> wrong) {
        if (!wrong.isEmpty()) {
            throw new IllegalStateException("After the kill: " + String.join("; ", wrong));
        }
    }
}
