package dev.durable.store.postgres.internal.sql;

import dev.durable.StoreRefusedException;
import dev.durable.internal.text.Thrown;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes rows for work in portions, and leaves out rows that the database refuses to change: a function or a cast raises
 * an error for a value of the row, or a trigger or a check does not let it be changed. One such row would hold up all
 * rows behind it.
 *
 * <pre>
 *   take as many as wanted ── refused ──► half as many, down to one ── refused ──► the first row is left out, and again
 *          │ done                                                                     │
 *          ▼                                                                          └── more than a few: thrown
 *   the rows that were left out on the way are left out of later calls, for a pause that grows from 5 s to a minute
 * </pre>
 *
 * <p>If other rows got through, the row is at fault, and is set aside in the database if its kind can be. If no row
 * does, the database may be at fault (a trigger that stops all writes), and the caller gets its error.
 *
 * <p>Thread-safe. The rows left out are known to this process only: each process finds them again, at the cost of a few
 * short transactions.
 *
 * @param <K> the type of a row's key
 */
public final class RefusedRows<K> {
    private static final Logger log = LoggerFactory.getLogger(RefusedRows.class);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
    private static final Duration FORGOTTEN_AFTER = Duration.ofMinutes(5);
    /** The number of rows that one call leaves out: more are not the fault of single rows. */
    private static final int MOST_AT_ONCE = 8;
    /** The number of rows that are left out, which is bounded as each statement names all of them. */
    private static final int MOST = 1_000;

    private final String what;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<K, Left> left = new LinkedHashMap<>();

    /** A row that is left out until then, on the monotonic clock, the last time for this pause. */
    private record Left(long until, Duration pause) {}

    /** Takes rows in a transaction of its own. */
    @FunctionalInterface
    public interface Taking<T, K> {
        T take(int limit, Set<K> without);
    }

    /** The way in which rows of a kind are found and set aside. */
    public interface Kind<K> {
        /** The row that would be taken first; empty if there is none. */
        Optional<K> first(Set<K> without);

        /** Sets the row aside in the database, where operators see it; false if that is refused or not possible. */
        boolean setAside(K row, StoreRefusedException why);
    }

    /**
     *
     * @param what the kind of row, for the log
     */
    public RefusedRows(String what, LongSupplier nanoTime) {
        this.what = what;
        this.nanoTime = nanoTime;
    }

    /**
     * Takes rows.
     *
     * @param limit how many at most
     * @param found whether a row was taken
     * @throws StoreRefusedException if no row gets through
     */
    public <T> T take(int limit, Taking<T, K> taking, Predicate<T> found, Kind<K> kind) {
        Map<K, StoreRefusedException> refused = new HashMap<>();
        Set<K> without = new HashSet<>(leftOut());
        for (int most = limit; ; ) {
            try {
                T taken = taking.take(most, without);
                refused.forEach((row, why) -> leaveOut(row, why, found.test(taken) ? kind : null));
                return taken;
            } catch (StoreRefusedException e) {
                if (most > 1) {
                    most /= 2;
                    continue;
                }
                K first = refused.size() == MOST_AT_ONCE
                        ? null
                        : kind.first(without).orElse(null);
                if (first == null || !without.add(first)) {
                    throw e;
                }
                refused.put(first, e);
                most = limit;
            }
        }
    }

    private Set<K> leftOut() {
        lock.lock();
        try {
            if (left.isEmpty()) {
                return Set.of();
            }
            long now = nanoTime.getAsLong();
            left.values().removeIf(row -> now - row.until > FORGOTTEN_AFTER.toNanos());
            return left.entrySet().stream()
                    .filter(row -> row.getValue().until - now > 0)
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toUnmodifiableSet());
        } finally {
            lock.unlock();
        }
    }

    /**
     *
     * @param kind sets the row aside; null does not
     */
    private void leaveOut(K row, StoreRefusedException why, @Nullable Kind<K> kind) {
        if (kind != null && isSetAside(kind, row, why)) {
            log.error("{} {} is set aside: {}", what, row, why.getMessage());
            return;
        }
        Duration pause = pause(row);
        log.warn("{} {} is left out for {}, and tried again then: {}", what, row, pause, why.getMessage());
    }

    /** Sets the row aside. An error here must not lose the rows that have been taken before, so it is logged only. */
    private boolean isSetAside(Kind<K> kind, K row, StoreRefusedException why) {
        try {
            return kind.setAside(row, why);
        } catch (RuntimeException e) {
            log.debug("{} {} can't be set aside: {}", what, row, Thrown.of(e).words());
            return false;
        }
    }

    private Duration pause(K row) {
        lock.lock();
        try {
            Left before = left.remove(row);
            Duration twice = before == null ? FIRST_PAUSE : before.pause.multipliedBy(2);
            Duration pause = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
            if (left.size() < MOST) {
                left.put(row, new Left(nanoTime.getAsLong() + pause.toNanos(), pause));
            }
            return pause;
        } finally {
            lock.unlock();
        }
    }
}
