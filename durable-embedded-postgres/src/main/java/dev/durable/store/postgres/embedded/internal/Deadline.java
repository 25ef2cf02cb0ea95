package dev.durable.store.postgres.embedded.internal;

import java.time.Duration;

/** A time limit for waiting for another process by polling. */
record Deadline(Duration length, long nanos) {
    private static final long PAUSE_MILLIS = 5;
    private static final Duration LONGEST = Duration.ofDays(36_525);

    static Deadline in(Duration length) {
        Duration bounded = length.compareTo(LONGEST) > 0 ? LONGEST : length;
        return new Deadline(length, System.nanoTime() + bounded.toNanos());
    }

    long remainingNanos() {
        return nanos - System.nanoTime();
    }

    boolean passed() {
        return remainingNanos() <= 0;
    }

    void pause() throws InterruptedException {
        Thread.sleep(PAUSE_MILLIS);
    }
}
