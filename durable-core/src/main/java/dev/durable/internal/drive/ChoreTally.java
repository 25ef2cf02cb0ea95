package dev.durable.internal.drive;

/** Counts how often a chore ran and how many rows it processed. Written by its one thread, read by anybody. */
public final class ChoreTally {
    private volatile Done done = new Done(0, 0, 0);

    /**
     * So far.
     *
     * @param runs how often it did what it is for
     * @param lastRows rows that it changed the last time
     * @param rows rows that it changed in all
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
