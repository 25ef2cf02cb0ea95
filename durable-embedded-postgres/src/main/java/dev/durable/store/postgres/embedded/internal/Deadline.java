package dev.durable.store.postgres.embedded.internal;

import java.time.Duration;

/** A time limit for waiting for another process by polling. */
record Deadline(Duration length, long nanos) {
    private static final long PAUSE_MILLIS = 5;

    static Deadline in(Duration length) {
        return new Deadline(length, System.nanoTime() + length.toNanos());
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
