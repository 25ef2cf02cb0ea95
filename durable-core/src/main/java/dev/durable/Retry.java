package dev.durable;

import dev.durable.client.DurableEngine;
import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The retry policy of an activity or of a workflow. Delay before attempt n+1: {@code initialInterval × backoff^(n-1)}, or what {@code growth}
 * says, at most {@code maxInterval}, spread by {@code jitter}. Every attribute left unset is taken from the next outer level and finally
 * from the defaults: 1s × 2.0 up to 1m, no limit of attempts, jitter 0.2.
 */
@Documented
@Target({})
@Retention(RetentionPolicy.RUNTIME)
public @interface Retry {
    /** Attempts in all, the first included; 0 is unlimited, -1 means unset. */
    int maxAttempts() default -1;

    /** Delay after the first failed attempt; empty means unset. */
    String initialInterval() default "";

    /** Factor from one delay to the next, at least 1; {@code NaN} means unset. */
    double backoff() default Double.NaN;

    /** How delays grow, with {@code backoff} as the factor or as the exponent. One; {@code {}} means unset: exponential. */
    RetryPolicy.Growth[] growth() default {};

    /** Upper bound of a delay; empty means unset. */
    String maxInterval() default "";

    /** A delay is multiplied by a random factor of {@code 1 ± jitter}, 0 to 1; {@code NaN} means unset. */
    double jitter() default Double.NaN;

    /** Exceptions, subclasses included, that end retries at once. Levels only add. */
    Class<? extends Throwable>[] doNotRetry() default {};

    /** How often the worker of an attempt may die before the job becomes a dead letter; -1 means unset (3). */
    int maxWorkerCrashes() default -1;

    /**
     * The end of the activity when its attempts are used up. One; {@code {}} means unset: {@link OnExhausted#FAIL}, and
     * for background jobs the value of {@link DurableEngine.Builder#jobsOnExhausted}.
     */
    OnExhausted[] onExhausted() default {};

    /** Asked after a failed attempt whether another is worth it; {@link RetryIf} itself means unset. */
    Class<? extends RetryIf> retryIf() default RetryIf.class;
}
