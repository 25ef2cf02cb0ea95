package dev.durable.store.postgres;

/**
 * The lock timeouts of a batch write: how long it waits for locked rows before the item that waits is returned as
 * LOCKED.
 *
 * @param first the whole batch
 * @param parts a part of it, when the whole met a lock: long enough for neighbours that commit, no longer
 */
record Patience(Locks first, Locks parts) {
    /** Of the lanes in which many wait for each other. */
    static final Patience SHORT = new Patience(Locks.SHORT, Locks.PROBE);
    /** Of the slow lane. */
    static final Patience LONG = new Patience(Locks.LONG, Locks.LONG);
}
