package dev.durable;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How failed attempts are retried, as resolved from all levels and recorded in {@code ActivityScheduled}, or that of a workflow, recorded in {@code WorkflowStarted}. Immutable. Presets
 * are ready-made policies: {@link #temporal}, {@link #sidekiq}, {@link #fixed} and {@link #none}.
 *
 * @param maxAttempts attempts in all, the first included; 0 is unlimited
 * @param initialInterval delay after the first failed attempt
 * @param backoff factor from one delay to the next, at least 1
 * @param maxInterval upper bound of a delay, before jitter
 * @param jitter a delay is multiplied by a random factor of {@code 1 ± jitter}
 * @param doNotRetry class names that end retries at once; compared with the class hierarchy of what was thrown
 * @param maxWorkerCrashes how often the worker of an attempt may die before the job becomes a dead letter
 * @param growth how delays grow
 * @param retryIf class name of the {@link RetryIf} that is asked; null asks none
 * @param onExhausted what becomes of the activity when its attempts are used up
 * @param attemptsBefore attempts that were used up before an operator gave it fresh ones: delays count from there,
 *     {@code maxAttempts} does not; 0 where no operator did
 */
public record RetryPolicy(
        int maxAttempts,
        Duration initialInterval,
        double backoff,
        Duration maxInterval,
        double jitter,
        List<String> doNotRetry,
        int maxWorkerCrashes,
        Growth growth,
        @Nullable String retryIf,
        OnExhausted onExhausted,
        int attemptsBefore) {

    /** How delays grow from attempt to attempt. */
    public enum Growth {
        /** {@code initialInterval × backoff^(n-1)} after attempt n. */
        EXPONENTIAL,
        /** {@code initialInterval + (n-1)^backoff} seconds after attempt n. */
        POLYNOMIAL
    }

    /** 1s × 2.0 up to 1m, no limit of attempts, jitter 0.2. */
    public static final RetryPolicy DEFAULT =
            new RetryPolicy(0, Duration.ofSeconds(1), 2.0, Duration.ofMinutes(1), 0.2, List.of(), 3);

    /** Exponential growth, no {@link RetryIf}, {@link OnExhausted#FAIL}. */
    public RetryPolicy(
            int maxAttempts,
            Duration initialInterval,
            double backoff,
            Duration maxInterval,
            double jitter,
            List<String> doNotRetry,
            int maxWorkerCrashes) {
        this(
                maxAttempts,
                initialInterval,
                backoff,
                maxInterval,
                jitter,
                doNotRetry,
                maxWorkerCrashes,
                Growth.EXPONENTIAL,
                null,
                OnExhausted.FAIL,
                0);
    }

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
        require(attemptsBefore >= 0, "attemptsBefore must be 0 or more, not " + attemptsBefore);
    }

    /** As Temporal's default: 1s × 2.0 up to 100s, no limit of attempts, jitter 0.2. */
    public static RetryPolicy temporal() {
        return new RetryPolicy(0, Duration.ofSeconds(1), 2.0, Duration.ofSeconds(100), 0.2, List.of(), 3);
    }

    /**
     * As Sidekiq: 25 retries over about twenty days, {@code 15 s + count^4 s}. Its random part, up to {@code 10 × (count+1)}
     * seconds, is a jitter of 0.1 here.
     */
    public static RetryPolicy sidekiq() {
        return new RetryPolicy(
                26,
                Duration.ofSeconds(15),
                4.0,
                Duration.ofDays(4),
                0.1,
                List.of(),
                3,
                Growth.POLYNOMIAL,
                null,
                OnExhausted.FAIL,
                0);
    }

    /**
     * Always the same delay, without jitter.
     *
     * @param delay between two attempts
     * @param maxAttempts attempts in all, the first included; 0 is unlimited
     */
    public static RetryPolicy fixed(Duration delay, int maxAttempts) {
        return new RetryPolicy(maxAttempts, delay, 1.0, delay, 0, List.of(), 3);
    }

    /** One attempt. */
    public static RetryPolicy none() {
        return new RetryPolicy(1, Duration.ZERO, 1.0, Duration.ZERO, 0, List.of(), 3);
    }

    /** Copies the policy with another limit of attempts; 0 is unlimited. */
    public RetryPolicy withMaxAttempts(int attempts) {
        return allowing(attempts, attemptsBefore);
    }

    /** As many attempts as it allowed so far, from the one after {@code used} on, with the delays of the first ones. */
    public RetryPolicy afresh(int used) {
        int allowed = maxAttempts > attemptsBefore ? maxAttempts - attemptsBefore : maxAttempts;
        return allowed == 0 ? allowing(0, used) : afresh(used, allowed);
    }

    /**
     * That many attempts from the one after {@code used} on, with the delays of the first ones.
     *
     * @param used attempts that were used up
     * @param attempts at least 1
     */
    public RetryPolicy afresh(int used, int attempts) {
        require(attempts >= 1, "attempts must be 1 or more, not " + attempts);
        return allowing((int) Math.min(Integer.MAX_VALUE, (long) used + attempts), used);
    }

    /** This policy with something else to follow when attempts are used up. */
    public RetryPolicy withOnExhausted(OnExhausted then) {
        return with(maxAttempts, then, attemptsBefore);
    }

    private RetryPolicy allowing(int attempts, int before) {
        return with(attempts, onExhausted, before);
    }

    private RetryPolicy with(int attempts, OnExhausted then, int before) {
        return new RetryPolicy(
                attempts,
                initialInterval,
                backoff,
                maxInterval,
                jitter,
                doNotRetry,
                maxWorkerCrashes,
                growth,
                retryIf,
                then,
                before);
    }

    /**
     * The delay after failed attempt {@code attempt}, before jitter; never overflows.
     *
     * @param attempt the attempt that failed, from 1
     */
    public Duration delayAfter(int attempt) {
        if (initialInterval.isZero() && growth == Growth.EXPONENTIAL) {
            return initialInterval;
        }
        double before = Math.max(0, attempt - 1.0 - attemptsBefore);
        double nanos =
                switch (growth) {
                    case EXPONENTIAL -> nanos(initialInterval) * Math.pow(backoff, before);
                    case POLYNOMIAL -> nanos(initialInterval) + 1e9 * Math.pow(before, backoff);
                };
        return nanos < nanos(maxInterval) ? Duration.ofNanos((long) nanos) : maxInterval;
    }

    /** Returns whether the policy allows an attempt after the given one. */
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
