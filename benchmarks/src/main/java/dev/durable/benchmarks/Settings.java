package dev.durable.benchmarks;

import java.nio.file.Path;
import java.time.Duration;

/**
 * How a scenario is played.
 *
 * @param time how long work is given out
 * @param warmup the same before, not measured
 * @param inFlight runs at once
 * @param size of the scenario: branches, steps, jobs; the scenario's own where zero
 * @param twoProcesses whether the client has a process of its own
 * @param worker settings of Durable's engine
 * @param ledger where effects are written down
 */
public record Settings(
        Duration time, Duration warmup, int inFlight, int size, boolean twoProcesses, Worker worker, Path ledger) {

    /**
     * The engine that takes part as Durable.
     *
     * @param connections of the pool; each contestant's own where zero
     * @param slots activities at once
     * @param virtualThreads whether activities run on virtual threads
     * @param sessionLease how long the work of a dead process lies
     */
    public record Worker(int connections, int slots, boolean virtualThreads, Duration sessionLease) {}

    /** For a process that has warmed up already: its caches of this database have not. */
    public Settings warm() {
        return new Settings(time, warmup.dividedBy(4), inFlight, size, twoProcesses, worker, ledger);
    }

    int sizeOr(int usual) {
        return size > 0 ? size : usual;
    }

    int connectionsOr(int usual) {
        return worker.connections() > 0 ? worker.connections() : usual;
    }
}
