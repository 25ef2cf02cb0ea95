package dev.durable.store.postgres.internal.sql;

/**
 * Computes pauses that grow while calls keep failing, from a quarter of a second to half a minute. Not thread-safe: its
 * owner guards it.
 */
public final class BackOff {
    private static final long FIRST_MILLIS = 250;
    private static final long LONGEST_MILLIS = 30_000;

    private long next = FIRST_MILLIS;

    public void succeeded() {
        next = FIRST_MILLIS;
    }

    /** Takes note of a failure; returns how many milliseconds to wait now. */
    public long failed() {
        long pause = next;
        next = Math.min(LONGEST_MILLIS, next * 2);
        return pause;
    }
}
