package dev.durable.observe;

import java.util.List;

/**
 * The sizes of a process's queues and of its memory of runs, at the moment of the call. Costs no round trip.
 *
 * @param lanes the group-commit lanes, in a fixed order
 * @param cache the runs that are kept in memory
 * @param stalledRuns runs whose code stalled in this process within the last two minutes
 * @param nudgesHeard whether nudges of other processes arrive; else everything is found by polling
 * @param samplesQueues whether this process is the one that looks at the queues for all
 * @param failing how many loops, chores, claims of queues and listeners have failed at every try for a minute
 */
public record EngineStatistics(
        List<Lane> lanes, Cache cache, int stalledRuns, boolean nudgesHeard, boolean samplesQueues, int failing) {

    public EngineStatistics {
        lanes = List.copyOf(lanes);
    }

    /**
     * A line of writes that wait for their commit.
     *
     * @param name such as {@code transitions}
     * @param waiting items that no batch has taken yet
     * @param bytes roughly, of these
     */
    public record Lane(String name, int waiting, long bytes) {}

    /**
     * Runs that are kept in memory.
     *
     * @param runs how many
     * @param bytes their estimated weight
     * @param maxBytes from which on those that are little used are dropped, except those that wait for local activities;
     *     while these alone weigh as much, no run is added. Engines that are open in one process share a quarter of the heap
     */
    public record Cache(long runs, long bytes, long maxBytes) {}
}
