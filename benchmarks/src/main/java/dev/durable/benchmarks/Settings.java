package dev.durable.benchmarks;

import java.time.Duration;

/**
 * How a scenario is played.
 *
 * @param time how long work is given out
 * @param warmup the same before, not measured
 * @param inFlight runs at once
 * @param connections of the pool; each contestant's own where zero
 * @param slots activities at once of a Durable worker
 * @param virtualThreads whether a Durable worker runs them on virtual threads
 * @param size of the scenario: branches, steps, jobs; the scenario's own where zero
 */
record Settings(
        Duration time, Duration warmup, int inFlight, int connections, int slots, boolean virtualThreads, int size) {
    int sizeOr(int usual) {
        return size > 0 ? size : usual;
    }

    int connectionsOr(int usual) {
        return connections > 0 ? connections : usual;
    }
}
