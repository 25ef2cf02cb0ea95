package dev.durable.store;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The clock of a database, read by a round trip now and then and advanced by the process's monotonic clock in between.
 *
 * <p>A reading was taken somewhere between sending and receiving, so at the time of receiving the true time is at least
 * the reading: counting from there the estimate is late by at most one round trip, never early. A step back of the
 * database's clock is not followed back: time stands until it catches up.
 */
public final class EstimatedClock implements StoreClock {
    /** After that long a reading is taken even if it is late by a round trip: the two clocks drift. */
    private static final Duration FRESH = Duration.ofSeconds(5);

    /** A reading that took longer says too little. */
    private static final Duration SURE = Duration.ofMillis(20);

    private static final int MICRO = 1_000;

    private final Supplier<Instant> reading;
    private final LongSupplier ticks;
    private final AtomicReference<Mark> mark;

    /** Reads once. */
    public EstimatedClock(Supplier<Instant> reading, LongSupplier ticks) {
        this.reading = reading;
        this.ticks = ticks;
        Instant at = reading.get();
        this.mark = new AtomicReference<>(new Mark(at, ticks.getAsLong(), at.truncatedTo(ChronoUnit.MICROS)));
    }

    /** Reads again. Who does so every few seconds, or lets answers of the database be {@link #observe}d, keeps it true. */
    public void synchronise() {
        set(reading.get());
    }

    /**
     * Takes a reading that came along with something else, where it tells more than is known: it is ahead of the
     * estimate, or the last reading is some seconds old and this one is sure. No round trip; never blocks.
     *
     * @param at the database's time in the answer
     * @param roundTrip how long ago the question was sent
     */
    public void observe(Instant at, Duration roundTrip) {
        Mark last = mark.get();
        Duration age = Duration.ofNanos(ticks.getAsLong() - last.ticks);
        if (at.isAfter(last.at.plus(age)) || age.compareTo(FRESH) > 0 && roundTrip.compareTo(SURE) <= 0) {
            set(at);
        }
    }

    @Override
    public Instant now() {
        Mark last = mark.get();
        long nanos = last.at.getNano() + (ticks.getAsLong() - last.ticks);
        Instant estimate = Instant.ofEpochSecond(last.at.getEpochSecond(), nanos - Math.floorMod(nanos, MICRO));
        return estimate.isBefore(last.floor) ? last.floor : estimate;
    }

    @Override
    public long nanoTime() {
        return ticks.getAsLong();
    }

    private void set(Instant at) {
        mark.set(new Mark(at, ticks.getAsLong(), now()));
    }

    /**
     * A reading.
     *
     * @param at the database's time
     * @param ticks when it was received
     * @param floor what has been told by then, to the microsecond
     */
    private record Mark(Instant at, long ticks, Instant floor) {}
}
