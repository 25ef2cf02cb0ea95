package dev.durable.benchmarks;

import java.util.List;

/**
 * An engine that can do the work of the scenarios, at work on one database. A scenario that it does not offer throws
 * {@link NotOffered}. Steps do nothing but count: each returns its argument plus one.
 */
public interface Contestant extends AutoCloseable {

    /**
     * Starts a run of so many steps, one after the other, and waits for its result: the number of steps.
     *
     * @param local the engine's lighter form of a step, if it has one
     */
    default int steps(String id, int steps, boolean local) throws Exception {
        throw new NotOffered();
    }

    /** Starts a run that puts so many steps in flight at once, and waits for the sum of their results. */
    default long fanout(String id, int size) throws Exception {
        throw new NotOffered();
    }

    /** Starts a run that starts so many children at once, and waits for the sum of their results. */
    default long children(String id, int size) throws Exception {
        throw new NotOffered();
    }

    /** Starts so many runs of the type of those children, so many at once, and waits for the sum of their results. */
    default long starts(String prefix, int size, int atOnce) throws Exception {
        throw new NotOffered();
    }

    /** Enqueues background jobs while no worker runs them; durable when it returns. */
    default void enqueue(int jobs) throws Exception {
        throw new NotOffered();
    }

    /** Executes what {@link #enqueue} has enqueued, all of it. */
    default void executeAll(int jobs) throws Exception {
        throw new NotOffered();
    }

    /** Starts runs whose steps are written to the {@linkplain Ledger ledger}, and waits for none of them. */
    default void startMany(int runs, int steps) throws Exception {
        throw new NotOffered();
    }

    /**
     * The faults of the rows that it stored; empty when all is well.
     *
     * @param runs how many runs have completed
     * @param steps how many steps have completed in them
     */
    List<String> check(long runs, long steps) throws Exception;

    @Override
    void close() throws Exception;

    /** This contestant has nothing of the kind. */
    final class NotOffered extends Exception {
        public NotOffered() {
            super("not offered");
        }

        public NotOffered(String why) {
            super("not offered: " + why);
        }
    }
}
