package dev.durable.internal.drive;

/** Counts how often a chore ran and how many rows it processed. Written by the chore's one thread, read by any. */
public final class ChoreTally {
    private volatile Done done = new Done(0, 0, 0);

    /**
     * The counts so far.
     *
     * @param runs the number of completed runs
     * @param lastRows the rows that the last run changed
     * @param rows the rows that all runs changed
     */
    public record Done(long runs, long lastRows, long rows) {}

    /** Counts one completed run of the chore and the rows that it changed. */
    public void did(long rows) {
        Done before = done;
        done = new Done(before.runs() + 1, rows, before.rows() + rows);
    }

    public Done done() {
        return done;
    }
}
