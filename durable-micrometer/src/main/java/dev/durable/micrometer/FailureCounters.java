package dev.durable.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Counts failures by fingerprint, of which there is a bounded number at once. Fingerprints can be chosen by an attacker
 * who chooses the inputs that fail, so a place is not for ever: where all are taken, a new one gets that of the one
 * that has not been counted for the longest time, if that is idle. While none is idle, what is new counts as {@code
 * other}, and has a place of its own soon after the storm is over. A counter that has lost its place leaves the
 * registry; where it returns, it begins at zero, which rates and increases take for a restart. Thread-safe; asked where
 * something failed only.
 */
final class FailureCounters {
    private static final long IDLE_NANOS = Duration.ofMinutes(10).toNanos();

    private final MeterRegistry registry;
    private final Tags common;
    private final int most;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();
    /** The one that was counted longest ago is the first. */
    private final Map<String, Place> places = new LinkedHashMap<>(16, 0.75f, true);

    private static final class Place {
        private final Counter counter;
        private long at;

        Place(Counter counter) {
            this.counter = counter;
        }
    }

    FailureCounters(MeterRegistry registry, Tags common, int most, LongSupplier nanoTime) {
        this.registry = registry;
        this.common = common;
        this.most = most;
        this.nanoTime = nanoTime;
    }

    void count(String fingerprint) {
        counter(fingerprint).increment();
    }

    private Counter counter(String fingerprint) {
        long now = nanoTime.getAsLong();
        lock.lock();
        try {
            Place place = places.get(fingerprint);
            if (place == null && (places.size() < most || freesOne(now))) {
                place = new Place(made(fingerprint));
                places.put(fingerprint, place);
            }
            if (place == null) {
                return made(BoundedMeters.OTHER);
            }
            place.at = now;
            return place.counter;
        } finally {
            lock.unlock();
        }
    }

    private boolean freesOne(long now) {
        Iterator<Place> oldest = places.values().iterator();
        Place first = oldest.next();
        if (now - first.at < IDLE_NANOS) {
            return false;
        }
        oldest.remove();
        registry.remove(first.counter);
        return true;
    }

    private Counter made(String fingerprint) {
        return DurableMeter.ACTIVITY_FAILURES.counter(registry, common, fingerprint);
    }
}
