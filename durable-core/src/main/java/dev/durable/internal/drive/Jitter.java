package dev.durable.internal.drive;

import dev.durable.store.Bounds;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** Randomises waiting times, so that processes which began together do not come back together. Never overflows. */
public final class Jitter {
    /** Longer than anybody means to wait; adding it to a time must not break, nor must its nanoseconds. */
    private static final Duration LONGEST = Bounds.WAIT;

    private Jitter() {}

    /** The wait times a random factor of {@code 1 ± spread}; never negative, at most a hundred years. */
    public static Duration spread(Duration wait, double spread, RandomGenerator random) {
        Duration bounded = bounded(wait);
        double factor = 1 + spread * (2 * random.nextDouble() - 1);
        return spread == 0 ? bounded : bounded(Duration.ofNanos((long) (bounded.toNanos() * factor)));
    }

    /** The wait, not negative and at most a hundred years. */
    public static Duration bounded(Duration wait) {
        return wait.isNegative() ? Duration.ZERO : wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
    }
}
