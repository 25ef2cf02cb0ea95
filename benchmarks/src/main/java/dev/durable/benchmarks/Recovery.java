package dev.durable.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A worker is killed with many runs half done, and another one, started at that moment, goes on. As it is recommended for
 * workers (docs/workers.md), its JVM has an archive of its classes, which a process that ended in good order has left.
 */
record Recovery() implements Scenario.Rehearsed {
    private static final int RUNS = 2000;
    private static final int STEPS = 20;
    private static final int REHEARSED = 100;
    /** From Java 25 on an archive has profiles of methods, too. */
    private static final boolean AOT = Runtime.version().feature() >= 25;

    private static final String WRITE_ARCHIVE = AOT ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=";
    private static final String READ_ARCHIVE = AOT ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=";
    private static final Duration STUCK = Duration.ofMinutes(5);
    private static final long LOOK_MILLIS = 50;

    /** Leaves the archive. */
    @Override
    public void rehearse(Peer peer, Database database, Settings settings) throws Exception {
        if (peer != Peer.DURABLE && peer != Peer.DBOS) {
            throw new Contestant.NotOffered("it has no runs of several steps");
        }
        Files.deleteIfExists(archive(peer));
        try (OtherJvm worker = start(peer, database, settings, WRITE_ARCHIVE)) {
            worker.awaitReady();
            worker.startMany(REHEARSED, STEPS);
            awaitCompleted(database, peer, REHEARSED);
        }
    }

    private static OtherJvm start(Peer peer, Database database, Settings settings, String archiveOption)
            throws IOException {
        return OtherJvm.start(peer, database, settings, List.of("-Xmx1g", archiveOption + archive(peer)));
    }

    private static Path archive(Peer peer) {
        return Path.of(System.getProperty("benchmarks.home"), "target", peer.label() + ".jsa");
    }

    @Override
    public Figures play(Peer peer, Database database, Settings settings) throws Exception {
        int runs = settings.sizeOr(RUNS);
        long all = (long) runs * STEPS;
        long before;
        try (OtherJvm first = start(peer, database, settings, READ_ARCHIVE)) {
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
        try (OtherJvm second = start(peer, database, settings, READ_ARCHIVE)) {
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
