package dev.durable;

import dev.durable.internal.text.NamedValues;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options of one activity call, as resolved from all levels and recorded in {@code ActivityScheduled}. Immutable.
 *
 * @param taskQueue where its job goes; null is the queue of the calling workflow
 * @param startToClose how long one attempt may run
 * @param scheduleToStart how long it may wait for its first attempt; null is unlimited
 * @param scheduleToClose how long all attempts together may take; null is unlimited
 * @param heartbeatTimeout how long an attempt may go without a heartbeat; null is not watched
 * @param retry how failed attempts are retried
 * @param priority higher goes first
 * @param transactional commits together with its completion event
 * @param local runs in the workflow's own worker without a job row
 * @param atMostOnce never begun a second time, whatever happens to its worker
 * @param headers static headers handed to the activity
 * @param limitKey jobs with the same key share limits of their queue; null has none
 * @param cancellation what cancelling it means
 * @param expiresAt when it expires if no attempt has begun by then; null is never. Of background jobs only
 * @param summary one line for people about this call, shown as plain text; null without
 */
public record ActivityOptions(
        @Nullable String taskQueue,
        Duration startToClose,
        @Nullable Duration scheduleToStart,
        @Nullable Duration scheduleToClose,
        @Nullable Duration heartbeatTimeout,
        RetryPolicy retry,
        int priority,
        boolean transactional,
        boolean local,
        boolean atMostOnce,
        Map<String, String> headers,
        @Nullable String limitKey,
        ActivityCancellationType cancellation,
        @Nullable Instant expiresAt,
        @Nullable String summary) {

    /** The options that hold where no level says anything. */
    public static final ActivityOptions DEFAULT = new ActivityOptions(
            null,
            Duration.ofMinutes(1),
            null,
            null,
            null,
            RetryPolicy.DEFAULT,
            0,
            false,
            false,
            false,
            Map.of(),
            null,
            ActivityCancellationType.TRY_CANCEL,
            null);

    public ActivityOptions {
        headers = NamedValues.copyOf(headers);
    }

    /** Options without a summary. */
    public ActivityOptions(
            @Nullable String taskQueue,
            Duration startToClose,
            @Nullable Duration scheduleToStart,
            @Nullable Duration scheduleToClose,
            @Nullable Duration heartbeatTimeout,
            RetryPolicy retry,
            int priority,
            boolean transactional,
            boolean local,
            boolean atMostOnce,
            Map<String, String> headers,
            @Nullable String limitKey,
            ActivityCancellationType cancellation,
            @Nullable Instant expiresAt) {
        this(
                taskQueue,
                startToClose,
                scheduleToStart,
                scheduleToClose,
                heartbeatTimeout,
                retry,
                priority,
                transactional,
                local,
                atMostOnce,
                headers,
                limitKey,
                cancellation,
                expiresAt,
                null);
    }

    @Override
    public Map<String, String> headers() {
        return NamedValues.plain(headers);
    }

    /** Copies these options with another retry policy. */
    public ActivityOptions withRetry(RetryPolicy policy) {
        return with(policy, expiresAt, summary);
    }

    /** Copies these options with this expiry; null is none. */
    public ActivityOptions withExpiry(@Nullable Instant when) {
        return with(retry, when, summary);
    }

    /** Copies these options with this summary; null is none. */
    public ActivityOptions withSummary(@Nullable String line) {
        return with(retry, expiresAt, line);
    }

    /**
     * When its first attempt must have begun: the end of schedule-to-start or the expiry, whichever comes first; null is
     * never.
     *
     * @param scheduledAt when it was scheduled; of a job that was delayed, the end of its delay
     */
    public @Nullable Instant beginsBy(Instant scheduledAt) {
        Instant toStart = scheduleToStart == null ? null : scheduledAt.plus(scheduleToStart);
        return toStart == null || (expiresAt != null && expiresAt.isBefore(toStart)) ? expiresAt : toStart;
    }

    private ActivityOptions with(RetryPolicy policy, @Nullable Instant expiry, @Nullable String line) {
        return new ActivityOptions(
                taskQueue,
                startToClose,
                scheduleToStart,
                scheduleToClose,
                heartbeatTimeout,
                policy,
                priority,
                transactional,
                local,
                atMostOnce,
                headers,
                limitKey,
                cancellation,
                expiry,
                line);
    }

    /** Without the summary, which may name persons, as this is logged. */
    @Override
    public String toString() {
        return "ActivityOptions[taskQueue=" + taskQueue + ", startToClose=" + startToClose + ", scheduleToStart="
                + scheduleToStart + ", scheduleToClose=" + scheduleToClose + ", heartbeatTimeout=" + heartbeatTimeout
                + ", retry=" + retry + ", priority=" + priority + ", transactional=" + transactional + ", local="
                + local + ", atMostOnce=" + atMostOnce + ", headers=" + headers + ", limitKey=" + limitKey
                + ", cancellation=" + cancellation + ", expiresAt=" + expiresAt + "]";
    }
}
