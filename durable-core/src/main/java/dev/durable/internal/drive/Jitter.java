package dev.durable.internal.drive;

import dev.durable.internal.text.Bounds;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** Randomises waiting times, so that processes which began together do not come back together. Never overflows. */
public final class Jitter {
    /**
     * The longest wait, longer than any application needs: adding it to a time, and counting its nanoseconds, must not
     * overflow.
     */
    private static final Duration LONGEST = Bounds.WAIT;

    private Jitter() {}

    /** Returns the wait times a random factor of {@code 1 ± spread}; never negative, at most a hundred years. */
    public static Duration spread(Duration wait, double spread, RandomGenerator random) {
        Duration bounded = bounded(wait);
        double factor = 1 + spread * (2 * random.nextDouble() - 1);
        return spread == 0 ? bounded : bounded(Duration.ofNanos((long) (bounded.toNanos() * factor)));
    }

    /** Returns the wait, not negative and at most a hundred years. */
    public static Duration bounded(Duration wait) {
        return wait.isNegative() ? Duration.ZERO : wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
    }
}
