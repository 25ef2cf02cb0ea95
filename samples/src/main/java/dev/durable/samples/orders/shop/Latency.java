package dev.durable.samples.orders.shop;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The time a request to another company takes.
 *
 * @param least at least
 * @param most at most
 */
record Latency(Duration least, Duration most) {

    static Latency ofMillis(long least, long most) {
        return new Latency(Duration.ofMillis(least), Duration.ofMillis(most));
    }

    void pass() {
        try {
            Thread.sleep(ThreadLocalRandom.current().nextLong(least.toMillis(), most.toMillis() + 1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted while waiting for an answer");
        }
    }
}
