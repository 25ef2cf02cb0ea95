package dev.durable.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A kind of work that is done and measured. */
public interface Scenario {
    /** Lets the contestant warm up, measures, and checks the work that was done. */
    Figures play(Peer peer, Database database, Settings settings) throws Exception;

    /** One that is played by a single process. */
    interface InProcess extends Scenario {
        /** Warms up, measures, and checks what was done. */
        Figures measure(Contestant contestant, Database database, Settings settings) throws Exception;

        @Override
        default Figures play(Peer peer, Database database, Settings settings) throws Exception {
            try (Contestant contestant = peer.open(database, settings)) {
                return measure(contestant, database, settings);
            }
        }
    }

    /** One whose worker may have a process of its own. */
    interface Apart extends InProcess {
        @Override
        default Figures play(Peer peer, Database database, Settings settings) throws Exception {
            if (!settings.twoProcesses()) {
                return InProcess.super.play(peer, database, settings);
            }
            if (peer != Peer.DURABLE) {
                throw new Contestant.NotOffered("measured in one process only");
            }
            try (OtherJvm worker = OtherJvm.start(peer, database, settings, List.of("-Xmx1g"));
                    Contestant client = DurableContestant.client(database, settings)) {
                worker.awaitReady();
                return measure(client, database, settings);
            }
        }
    }

    /** One that is prepared once, on a database of its own. */
    interface Rehearsed extends Scenario {
        /** Before the first round. */
        void rehearse(Peer peer, Database database, Settings settings) throws Exception;
    }

    /** All there are, in the order of the documentation. */
    static Map<String, Scenario> all() {
        Map<String, Scenario> all = new LinkedHashMap<>();
        all.put("steps1", new Steps(1, false));
        all.put("steps10", new Steps(10, false));
        all.put("local10", new Steps(10, true));
        all.put("latency", new Latency());
        all.put("updates", new Updates());
        all.put("fanout", new Fanout());
        all.put("children", new Children());
        all.put("longrun", new LongRun());
        all.put("continueasnew", new ContinueAsNew());
        all.put("cold", new Cold());
        all.put("jobs", new Jobs());
        all.put("recovery", new Recovery());
        all.put("signals", new Signals());
        all.put("timers", new Timers());
        all.put("idle", new Idle());
        return all;
    }

    /** Refuses figures of work that was not done right. */
    static void check(Contestant contestant, long runs, long steps) throws Exception {
        var wrong = contestant.check(runs, steps);
        if (!wrong.isEmpty()) {
            throw new IllegalStateException("What was measured is wrong: " + String.join("; ", wrong));
        }
    }

    /** Refuses a wrong result. */
    static void expect(String run, long expected, long result) {
        if (result != expected) {
            throw new IllegalStateException(run + " gave " + result + ", not " + expected);
        }
    }
}
