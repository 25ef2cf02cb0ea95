package dev.durable.store.memory;

import dev.durable.store.StoreClock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

/** Time that stands still until it is moved, and never goes back. Thread-safe. */
public final class VirtualClock implements StoreClock {
    /** When a clock starts that is not told otherwise. */
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final Instant start;
    private final AtomicReference<Instant> now;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    public VirtualClock() {
        this(START);
    }

    public VirtualClock(Instant start) {
        this.start = start.truncatedTo(ChronoUnit.MICROS);
        this.now = new AtomicReference<>(this.start);
    }

    @Override
    public Instant now() {
        return now.get();
    }

    /** Virtual nanoseconds since the start. */
    @Override
    public long nanoTime() {
        return Duration.between(start, now.get()).toNanos();
    }

    /** Moves time on, by whole microseconds. */
    public void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("time does not go back: " + by);
        }
        now.updateAndGet(at -> at.plus(by).truncatedTo(ChronoUnit.MICROS));
        tell();
    }

    /** Moves time on to this instant, or to the microsecond after it: what is due then is due now. */
    public void advanceTo(Instant instant) {
        Instant target = instant.plusNanos(999).truncatedTo(ChronoUnit.MICROS);
        Instant before = now.getAndUpdate(at -> at.isBefore(target) ? target : at);
        if (before.isBefore(target)) {
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

    /** Ends what it stands for. */
    @FunctionalInterface
    public interface Registration extends AutoCloseable {
        @Override
        void close();
    }
}
