package dev.durable;

import java.time.Duration;
import java.util.List;

/**
 * How failed attempts are retried, as resolved from all levels and recorded in {@code ActivityScheduled}. Immutable.
 *
 * @param maxAttempts attempts in all, the first included; 0 is unlimited
 * @param initialInterval delay after the first failed attempt
 * @param backoff factor from one delay to the next, at least 1
 * @param maxInterval upper bound of a delay, before jitter
 * @param jitter a delay is multiplied by a random factor of {@code 1 ± jitter}
 * @param doNotRetry class names that end retries at once; compared with the class hierarchy of what was thrown
 * @param maxWorkerCrashes how often the worker of an attempt may die before the job becomes a dead letter
 */
public record RetryPolicy(
        int maxAttempts,
        Duration initialInterval,
        double backoff,
        Duration maxInterval,
        double jitter,
        List<String> doNotRetry,
        int maxWorkerCrashes) {

    /** 1s × 2.0 up to 1m, no limit of attempts, jitter 0.2. */
    public static final RetryPolicy DEFAULT =
            new RetryPolicy(0, Duration.ofSeconds(1), 2.0, Duration.ofMinutes(1), 0.2, List.of(), 3);

    public RetryPolicy {
        doNotRetry = List.copyOf(doNotRetry);
        require(maxAttempts >= 0, "maxAttempts must be 0 (unlimited) or more, not " + maxAttempts);
        require(!initialInterval.isNegative(), "initialInterval must not be negative, not " + initialInterval);
        require(backoff >= 1, "backoff must be at least 1, not " + backoff);
        require(
                maxInterval.compareTo(initialInterval) >= 0,
                "maxInterval " + maxInterval + " must not be below initialInterval " + initialInterval);
        require(jitter >= 0 && jitter <= 1, "jitter must be between 0 and 1, not " + jitter);
        require(maxWorkerCrashes >= 0, "maxWorkerCrashes must be 0 or more, not " + maxWorkerCrashes);
    }

    /**
     * The delay after failed attempt {@code attempt}, before jitter; never overflows.
     *
     * @param attempt the attempt that failed, from 1
     */
    public Duration delayAfter(int attempt) {
        if (initialInterval.isZero()) {
            return initialInterval;
        }
        double nanos = nanos(initialInterval) * Math.pow(backoff, attempt - 1.0);
        return nanos < nanos(maxInterval) ? Duration.ofNanos((long) nanos) : maxInterval;
    }

    /** Whether the policy allows an attempt after the given one. */
    public boolean allowsAfter(int attempt) {
        return maxAttempts == 0 || attempt < maxAttempts;
    }

    /** Exact up to a hundred days; unlike {@link Duration#toNanos()} it does not overflow. */
    private static double nanos(Duration duration) {
        return duration.getSeconds() * 1e9 + duration.getNano();
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException("retry policy: " + message);
        }
    }
}
