package dev.durable.store.postgres.internal.sql;

import dev.durable.StoreUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether the database can be used and for how long it could not: by the result of the last transaction, and by
 * the threads that wait for a connection of the pool, which gives them no error for half a minute. Thread-safe.
 */
final class Reach {
    /**
     * The time after which a problem that no transaction has met again may be over. If only writes are refused, a
     * process that reports that it can't serve gets no more requests, and would never learn that writes are possible
     * again.
     */
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** The longest wait for a connection that is no problem. */
    private static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final LongSupplier nanoTime;
    private volatile @Nullable Trouble trouble;
    /** When the first of the threads that now wait for a connection began to; 0 if none waits, or one got one. */
    private volatile long waitingSince;

    /**
     *
     * @param ofWrites whether only writes failed: a server that can't be written to may still be read
     * @param since when it was met for the first time
     * @param last when it was met for the last time
     */
    private record Trouble(String text, boolean ofWrites, long since, long last) {}

    Reach(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    void waits() {
        if (waitingSince == 0) {
            waitingSince = nanoTime.getAsLong() | 1;
        }
    }

    void connected() {
        if (waitingSince != 0) {
            waitingSince = 0;
        }
    }

    StoreUnavailableException met(StoreUnavailableException e, boolean ofWrites) {
        long now = nanoTime.getAsLong();
        Trouble before = trouble;
        long since = before != null && now - before.last() < STALE_NANOS ? before.since() : now;
        trouble = new Trouble(String.valueOf(e.getMessage()), ofWrites, since, now);
        return e;
    }

    void happened(boolean writes) {
        Trouble before = trouble;
        if (before != null && (writes || !before.ofWrites())) {
            trouble = null;
        }
    }

    /** The problem that keeps transactions from happening now; empty if the last one happened. */
    Optional<String> trouble() {
        Trouble met = trouble;
        long waiting = waitedFor();
        return met != null || waiting < SHORT_NANOS
                ? Optional.ofNullable(met).map(Trouble::text)
                : Optional.of("no connection of the pool has been free for " + TimeUnit.NANOSECONDS.toSeconds(waiting)
                        + " s. Usually the database does not answer, or all connections of the pool are in use.");
    }

    /** How long none has happened, though some were tried; zero while they happen. */
    Duration lasts() {
        Trouble met = trouble;
        long now = nanoTime.getAsLong();
        long since = met == null || now - met.last() > STALE_NANOS ? 0 : now - met.since();
        return Duration.ofNanos(Math.max(waitedFor(), since));
    }

    private long waitedFor() {
        long since = waitingSince;
        return since == 0 ? 0 : nanoTime.getAsLong() - since;
    }
}
