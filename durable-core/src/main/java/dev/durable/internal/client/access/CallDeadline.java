package dev.durable.internal.client.access;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * When one call of a client gives up: all that the call waits for, one after the other, shares it. On the monotonic clock
 * of the store. Immutable.
 */
public final class CallDeadline {
    private final LongSupplier nanoTime;
    private final Duration whole;
    private final long end;

    private CallDeadline(LongSupplier nanoTime, Duration whole) {
        this.nanoTime = nanoTime;
        this.whole = whole;
        this.end = nanoTime.getAsLong() + whole.toNanos();
    }

    /** That long from now, which is no more than a few years. */
    public static CallDeadline in(Duration wait, LongSupplier nanoTime) {
        return new CallDeadline(nanoTime, wait);
    }

    /** The earlier of this one and that long from now. */
    public CallDeadline butWithin(Duration wait) {
        return wait.compareTo(left()) < 0 ? in(wait, nanoTime) : this;
    }

    /** How much time the call had in all. */
    public Duration whole() {
        return whole;
    }

    /** What is left of it, not negative. */
    public Duration left() {
        return Duration.ofNanos(Math.max(0, end - nanoTime.getAsLong()));
    }
}
