package dev.durable.store.postgres.internal.sql;

/**
 * The lock timeouts of a batch write: how long it waits for locked rows before the item that waits is returned as
 * LOCKED.
 *
 * @param first the whole batch
 * @param parts a part of it, when the whole met a lock: long enough for neighbours that commit, no longer
 */
public record LockPatience(TransactionSettings first, TransactionSettings parts) {
    /** Of the lanes in which many wait for each other. */
    public static final LockPatience SHORT = new LockPatience(TransactionSettings.SHORT, TransactionSettings.PROBE);
    /** Of the slow lane. */
    public static final LockPatience LONG = new LockPatience(TransactionSettings.LONG, TransactionSettings.LONG);
}
