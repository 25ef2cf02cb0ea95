package dev.durable.benchmarks.command;

import dev.durable.benchmarks.Contestant;
import dev.durable.benchmarks.Database;
import dev.durable.benchmarks.Figures;
import dev.durable.benchmarks.Peer;
import dev.durable.benchmarks.Scenario;
import dev.durable.benchmarks.Settings;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Plays the rounds: in each, every contestant once, every other round in the opposite order. */
record Rounds(
        Server server,
        Scenario scenario,
        String name,
        Map<Peer, Base> loaded,
        Settings settings,
        Report report,
        PrintWriter out) {

    void play(int rounds, List<Peer> taking) throws Exception {
        List<Peer> left = new ArrayList<>(taking);
        for (int round = 1; round <= rounds; round++) {
            for (Peer peer : round % 2 == 1
                    ? List.copyOf(left)
                    : left.reversed().stream().toList()) {
                try {
                    if (round == 1 && peer != Peer.BASE && scenario instanceof Scenario.Rehearsed rehearsed) {
                        Files.deleteIfExists(settings.ledger());
                        rehearsed.rehearse(peer, server.fresh(), settings);
                    }
                    Figures figures = play(peer, round > 1 && warmsUpHere() ? settings.warm() : settings);
                    report.add(peer, figures);
                    Figures.Figure first = figures.figures().getFirst();
                    out.printf("round %d  %-14s %,14.2f %s%n", round, peer.label(), first.value(), first.name());
                } catch (Contestant.NotOffered notOffered) {
                    report.absent(peer, String.valueOf(notOffered.getMessage()));
                    left.remove(peer);
                }
                out.flush();
            }
        }
    }

    private boolean warmsUpHere() {
        return scenario instanceof Scenario.InProcess && !settings.twoProcesses();
    }

    private Figures play(Peer peer, Settings settings) throws Exception {
        Database database = server.fresh();
        Files.deleteIfExists(settings.ledger());
        Base base = loaded.get(peer);
        if (base != null && warmsUpHere()) {
            return base.play(name, database, settings);
        }
        if (peer == Peer.BASE) {
            throw new Contestant.NotOffered(
                    base == null ? "--base says where it is" : "it is measured in this process only");
        }
        return scenario.play(peer, database, settings);
    }
}
