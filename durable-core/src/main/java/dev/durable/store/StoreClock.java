package dev.durable.store;

import java.time.Instant;

/** The store's time, estimated without a round trip. Thread-safe. */
public interface StoreClock {
    /**
     * The store's clock, to the microsecond; never ahead of it (so that nothing is due too early) and never going back.
     */
    Instant now();

    /** Monotonic nanoseconds for measuring intervals; runs with the store's time where that is virtual. */
    long nanoTime();
}
