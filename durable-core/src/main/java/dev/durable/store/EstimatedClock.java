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
    /** The age at which a reading is replaced even by one that is late by a round trip, as the two clocks drift. */
    private static final Duration FRESH = Duration.ofSeconds(5);

    /** The longest round trip of a reading that may replace an older one; a slower one is too inaccurate. */
    private static final Duration SURE = Duration.ofMillis(20);

    private static final int MICRO = 1_000;

    private final Supplier<Instant> reading;
    private final LongSupplier ticks;
    private final AtomicReference<Mark> mark;

    public EstimatedClock(Supplier<Instant> reading, LongSupplier ticks) {
        this.reading = reading;
        this.ticks = ticks;
        Instant at = reading.get();
        this.mark = new AtomicReference<>(new Mark(at, ticks.getAsLong(), at.truncatedTo(ChronoUnit.MICROS)));
    }

    /**
     * Reads the database's clock again. The estimate stays true if this is called every few seconds, or if answers of
     * the database are {@link #observe}d.
     */
    public void synchronise() {
        set(reading.get());
    }

    /**
     * Takes a reading that came with the answer to a statement, if it is better than the last one: it is ahead of the
     * estimate, or the last one is some seconds old and the round trip of this one was short. No round trip; never
     * blocks.
     *
     * @param at the database's time in the answer
     * @param roundTrip how long ago the statement was sent
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
     * A reading of the database's clock.
     *
     * @param at the database's time
     * @param ticks when it was received
     * @param floor the latest time that {@link #now} had returned by then, to the microsecond
     */
    private record Mark(Instant at, long ticks, Instant floor) {}
}
