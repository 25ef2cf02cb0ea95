package dev.durable;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an interface or a non-final class whose public methods are activities: work with side effects, run at least
 * once by a worker, retried by its policy. On a method it overrides the type's options, attribute by attribute.
 *
 * <p>Durations are {@code "200ms"}, {@code "10s"}, {@code "5m"}, {@code "2h"}, {@code "3d"} or ISO-8601; empty means
 * unset. Options are merged type &lt; method &lt; configuration &lt; call site.
 */
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Activity {
    /** The name: of the type (default: the simple class name) or of the method (default: the method's name). */
    String name() default "";

    /** Former names under which waiting jobs may still stand in the database. */
    String[] aliases() default {};

    /** The task queue its jobs go to; the queue of the calling workflow when empty. */
    String taskQueue() default "";

    /** How long one attempt may run; one minute when unset on every level. */
    String startToClose() default "";

    /** How long a job may wait for a worker before its first attempt; unlimited when unset. */
    String scheduleToStart() default "";

    /** How long all attempts together may take; unlimited when unset. */
    String scheduleToClose() default "";

    /** How long an attempt may go without a heartbeat; not watched when unset. */
    String heartbeatTimeout() default "";

    /** How failed attempts are retried. */
    Retry retry() default @Retry;

    /** Higher goes first, within the aging of the queue; {@link Integer#MIN_VALUE} means unset (0). */
    int priority() default Integer.MIN_VALUE;

    /** The activity runs in the DataSource's transaction and commits together with its completion event. */
    boolean transactional() default false;

    /** Runs in the workflow's own worker without a job row: one event, still durable before the next step. */
    boolean local() default false;

    /**
     * The activity is begun once and never again: it has one attempt, and where its worker is lost meanwhile it fails as an
     * {@link OutcomeUnknownException} instead of being run a second time.
     */
    boolean atMostOnce() default false;

    /**
     * Jobs with the same key share the limits that their queue sets for each key ({@code Queues.limits(queue, l ->
     * l.perKey(…))}); no limit when empty. Mostly set at the call site: {@code Durable.activities(Payments.class, o ->
     * o.limitKey("customer-7"))}. Such a job is always claimed, never begun directly by the worker that scheduled it.
     */
    String limitKey() default "";

    /**
     * The meaning of a cancellation for the activity and its caller; {@link ActivityCancellationType#TRY_CANCEL} when
     * unset on every level. One value at the most.
     */
    ActivityCancellationType[] cancellation() default {};

    /** Static headers, {@code "name=value"} each, handed to the activity. */
    String[] headers() default {};
}
