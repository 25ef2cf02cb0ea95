package dev.durable.internal.client.access;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The time at which one call of a client gives up, on the monotonic clock of the store: all waits of the call, one
 * after the other, share it. Immutable.
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

    /** Returns the deadline that long from now, with an upper bound of a few years. */
    public static CallDeadline in(Duration wait, LongSupplier nanoTime) {
        return new CallDeadline(nanoTime, wait);
    }

    /** Returns the earlier of this deadline and that long from now. */
    public CallDeadline butWithin(Duration wait) {
        return wait.compareTo(left()) < 0 ? in(wait, nanoTime) : this;
    }

    /** Returns how much time the call had in all. */
    public Duration whole() {
        return whole;
    }

    /** Returns the time that is left, not negative. */
    public Duration left() {
        return Duration.ofNanos(Math.max(0, end - nanoTime.getAsLong()));
    }
}
