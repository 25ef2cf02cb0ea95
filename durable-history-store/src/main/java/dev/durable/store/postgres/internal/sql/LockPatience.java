package dev.durable.store.postgres.internal.sql;

/**
 * The lock timeouts of a batch write: how long it waits for locked rows before the items that wait are returned as
 * LOCKED.
 *
 * @param first for the whole batch
 * @param parts for a part of it, after the whole met a lock: long enough for other transactions that are committing, no
 *     longer
 */
public record LockPatience(TransactionSettings first, TransactionSettings parts) {
    /** The patience of the normal lanes, in which many callers wait for each batch. */
    public static final LockPatience SHORT = new LockPatience(TransactionSettings.SHORT, TransactionSettings.PROBE);
    /** The patience of the slow lane, which writes one item at a time. */
    public static final LockPatience LONG = new LockPatience(TransactionSettings.LONG, TransactionSettings.LONG);
}
