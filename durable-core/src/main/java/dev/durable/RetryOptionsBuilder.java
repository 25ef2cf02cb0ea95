package dev.durable;

import java.time.Duration;

/**
 * Options of {@link Durable#retry} and {@link Durable#poll}, and of workflows that are retried ({@code StartOptions.retry},
 * {@link ChildOptions#retry}): {@code o -> o.maxAttempts(5).within(ofHours(1))}. Those
 * that are not set are those of {@link RetryPolicy#DEFAULT}: 1s × 2.0 up to 1m, no limit of attempts, jitter 0.2.
 */
public interface RetryOptionsBuilder {
    /** Replaces the whole policy, with one of its presets perhaps: {@code o.policy(RetryPolicy.temporal())}. */
    RetryOptionsBuilder policy(RetryPolicy policy);

    /** Sets the number of attempts in all, the first included; 0 is unlimited. */
    RetryOptionsBuilder maxAttempts(int maxAttempts);

    /**
     * Sets the time limit, counted from the call. {@code retry} begins no attempt after it; {@code poll} makes its last
     * call when it is reached. An attempt that is under way then is not cut short. Not for workflows, which have an
     * execution timeout.
     */
    RetryOptionsBuilder within(Duration limit);

    /** Sets the wait after the first attempt. */
    RetryOptionsBuilder initialInterval(Duration interval);

    /** Sets the factor from one wait to the next, at least 1. */
    RetryOptionsBuilder backoff(double coefficient);

    /** Sets how waits grow from attempt to attempt. */
    RetryOptionsBuilder growth(RetryPolicy.Growth growth);

    /** Sets the upper bound of a wait, before jitter. */
    RetryOptionsBuilder maxInterval(Duration interval);

    /** Sets the spread of waits: each is multiplied by a random factor of {@code 1 ± jitter}, the same on replay. */
    RetryOptionsBuilder jitter(double jitter);

    /**
     * Adds an exception, subclasses included, that ends the retries at once; looked for in the causes, too. An exception
     * of an activity that no signature names is known by its class name only, so that its subclasses do not count. Not
     * for {@code poll}.
     */
    RetryOptionsBuilder doNotRetry(Class<? extends Throwable> type);

    /**
     * Sets a question that is asked after a failed attempt: whether another is worth it. It is workflow code, so that
     * its answer must be the same on replay. Not for {@code poll}, nor for workflows.
     */
    RetryOptionsBuilder retryIf(RetryIf question);
}
