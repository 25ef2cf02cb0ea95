package dev.durable.worker;

/** What a chore has done so far. Written by its one thread, read by anybody. */
final class Tally {
    private volatile Done done = new Done(0, 0, 0);

    /**
     * So far.
     *
     * @param runs how often it did what it is for
     * @param lastRows rows that it changed the last time
     * @param rows rows that it changed in all
     */
    record Done(long runs, long lastRows, long rows) {}

    /** It did what it is for, and changed that many rows. */
    void did(long rows) {
        Done before = done;
        done = new Done(before.runs() + 1, rows, before.rows() + rows);
    }

    Done done() {
        return done;
    }
}
