package dev.durable.samples.orders.cli;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts the outcomes of one command. Thread-safe. */
final class Tally {
    private final Map<Outcome, Long> counts = new ConcurrentHashMap<>();
    private final long startedNanos = System.nanoTime();

    void add(Outcome outcome) {
        counts.merge(outcome, 1L, Long::sum);
    }

    long of(Outcome outcome) {
        return counts.getOrDefault(outcome, 0L);
    }

    long ended() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - startedNanos);
    }
}
