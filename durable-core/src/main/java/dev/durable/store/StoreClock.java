package dev.durable.store;

import java.time.Instant;

/** The store's time, estimated without a round trip. Thread-safe. */
public interface StoreClock {
    /**
     * The store's time, to the microsecond. It is never ahead of the store's clock, so that nothing is due too early,
     * and never goes back.
     */
    Instant now();

    /** Monotonic nanoseconds for measuring intervals; they follow the store's time if that is virtual. */
    long nanoTime();
}
