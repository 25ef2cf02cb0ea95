package dev.durable.store.memory;

import dev.durable.internal.text.Bounds;
import dev.durable.store.StoreClock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

/** Time that stands still until it is moved, and never goes back. Thread-safe. */
public final class VirtualClock implements StoreClock {
    /** The time at which a clock starts by default. */
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    /**
     * The most by which the nanoseconds move in one leap, however far the time leaps: no wait in nanoseconds is longer,
     * and the difference of two readings must not overflow.
     */
    private static final Duration LONGEST_LEAP = Bounds.WAIT.plusDays(1);

    private final AtomicReference<Reading> reading;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    public VirtualClock() {
        this(START);
    }

    public VirtualClock(Instant start) {
        this.reading = new AtomicReference<>(new Reading(start.truncatedTo(ChronoUnit.MICROS), 0));
    }

    /** The time and the nanoseconds that the clock shows. */
    private record Reading(Instant now, long nanos) {
        Reading at(Instant later) {
            return new Reading(later, nanos + leap(Duration.between(now, later)));
        }
    }

    @Override
    public Instant now() {
        return reading.get().now();
    }

    /** Virtual nanoseconds since the start; a leap of more than a hundred years is one of a hundred. */
    @Override
    public long nanoTime() {
        return reading.get().nanos();
    }

    /** The nanoseconds of a leap of time. */
    public static long leap(Duration by) {
        return (by.compareTo(LONGEST_LEAP) > 0 ? LONGEST_LEAP : by).toNanos();
    }

    /**
     * Returns the time that is later by this duration.
     *
     * @throws IllegalArgumentException if that is before this one, or after {@link Bounds#LATEST}
     */
    public static Instant later(Instant now, Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("time does not go back: " + by);
        }
        if (by.compareTo(Duration.between(now, Bounds.LATEST)) > 0) {
            throw new IllegalArgumentException("time goes on to " + Bounds.LATEST + " at most, and it is " + now
                    + ": it can't be moved by " + by + ". Usual cause: a number in another unit than was meant.");
        }
        return now.plus(by);
    }

    /**
     * Moves time on, by whole microseconds.
     *
     * @throws IllegalArgumentException if it would go back, or beyond {@link Bounds#LATEST}
     */
    public void advance(Duration by) {
        reading.updateAndGet(at -> at.at(later(at.now(), by).truncatedTo(ChronoUnit.MICROS)));
        tell();
    }

    /** Moves time on to this instant, or to the microsecond after it: everything due at that instant is due now. */
    public void advanceTo(Instant instant) {
        Instant target = instant.plusNanos(999).truncatedTo(ChronoUnit.MICROS);
        Reading before = reading.getAndUpdate(at -> at.now().isBefore(target) ? at.at(target) : at);
        if (before.now().isBefore(target)) {
            tell();
        }
    }

    /**
     * Calls the listener after each advance, on the thread that advances, until the returned handle is closed: for loops
     * that sleep for a time that has just passed.
     */
    public Registration onAdvance(Runnable listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    private void tell() {
        listeners.forEach(Runnable::run);
    }

    /** A registration, which is ended by closing it. */
    @FunctionalInterface
    public interface Registration extends AutoCloseable {
        @Override
        void close();
    }
}
