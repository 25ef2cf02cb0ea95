package dev.durable.store.postgres.internal.sql;

import dev.durable.StoreUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether the database can be used and for how long it could not: by what the last transaction has met, and by those
 * that wait for a connection of the pool, which tells them nothing for half a minute. Thread-safe.
 */
final class Reach {
    /**
     * A trouble that nobody has met again for so long may be over. Where only writes are refused, a process that says that
     * it can't serve gets no more requests, and would never learn it.
     */
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** How long a wait for a connection is nothing to speak of. */
    private static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final LongSupplier nanoTime;
    private volatile @Nullable Trouble trouble;
    /** When the first began to wait of those who have asked for a connection since one was got; 0 is nobody. */
    private volatile long waitingSince;

    /**
     * @param ofWrites a server that can't be written may be read all the same
     * @param since when it was met for the first time
     * @param last when it was met for the last time
     */
    private record Trouble(String text, boolean ofWrites, long since, long last) {}

    Reach(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** A connection is asked for. */
    void waits() {
        if (waitingSince == 0) {
            waitingSince = nanoTime.getAsLong() | 1;
        }
    }

    /** A connection was got. */
    void connected() {
        if (waitingSince != 0) {
            waitingSince = 0;
        }
    }

    /** A transaction did not happen. */
    StoreUnavailableException met(StoreUnavailableException e, boolean ofWrites) {
        long now = nanoTime.getAsLong();
        Trouble before = trouble;
        long since = before != null && now - before.last() < STALE_NANOS ? before.since() : now;
        trouble = new Trouble(String.valueOf(e.getMessage()), ofWrites, since, now);
        return e;
    }

    /** A transaction happened. */
    void happened(boolean writes) {
        Trouble before = trouble;
        if (before != null && (writes || !before.ofWrites())) {
            trouble = null;
        }
    }

    /** What keeps transactions from happening now; empty where the last one happened. */
    Optional<String> trouble() {
        Trouble met = trouble;
        long waiting = waitedFor();
        return met != null || waiting < SHORT_NANOS
                ? Optional.ofNullable(met).map(Trouble::text)
                : Optional.of("no connection of the pool has been free for " + TimeUnit.NANOSECONDS.toSeconds(waiting)
                        + " s. Usually the database does not answer, or all connections of the pool are in use.");
    }

    /** For how long none has happened, though some were tried; zero while they happen. */
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
