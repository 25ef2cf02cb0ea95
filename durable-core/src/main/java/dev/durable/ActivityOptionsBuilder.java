package dev.durable;

import java.time.Duration;

/** Options at the call site: {@code Durable.activities(Payments.class, o -> o.startToClose(ofMinutes(1)))}. */
public interface ActivityOptionsBuilder {
    ActivityOptionsBuilder taskQueue(String taskQueue);

    ActivityOptionsBuilder startToClose(Duration timeout);

    ActivityOptionsBuilder scheduleToStart(Duration timeout);

    ActivityOptionsBuilder scheduleToClose(Duration timeout);

    ActivityOptionsBuilder heartbeatTimeout(Duration timeout);

    ActivityOptionsBuilder priority(int priority);

    ActivityOptionsBuilder local(boolean local);

    ActivityOptionsBuilder transactional(boolean transactional);

    ActivityOptionsBuilder atMostOnce(boolean atMostOnce);

    /** Jobs with the same key share the limits that their queue sets for each key. */
    ActivityOptionsBuilder limitKey(String key);

    /**
     * Sets the meaning of a cancellation: whether the activity is asked to stop, and whether its call stays open until
     * its outcome.
     */
    ActivityOptionsBuilder cancellation(ActivityCancellationType type);

    /**
     * One line for people about the call: {@code o.summary("charge card of ann")}. It stands in {@code ActivityScheduled}
     * and is shown as plain text; a replay does not compare it. More than 500 characters are cut, and line breaks become
     * blanks.
     */
    ActivityOptionsBuilder summary(String line);

    ActivityOptionsBuilder header(String name, String value);

    ActivityOptionsBuilder maxAttempts(int maxAttempts);

    ActivityOptionsBuilder initialInterval(Duration interval);

    ActivityOptionsBuilder backoff(double coefficient);

    /** How delays grow from attempt to attempt. */
    ActivityOptionsBuilder growth(RetryPolicy.Growth growth);

    ActivityOptionsBuilder maxInterval(Duration interval);

    ActivityOptionsBuilder jitter(double jitter);

    ActivityOptionsBuilder doNotRetry(Class<? extends Throwable> type);

    ActivityOptionsBuilder maxWorkerCrashes(int crashes);

    /** Sets the end of an activity whose attempts are used up. */
    ActivityOptionsBuilder onExhausted(OnExhausted then);

    /** Asked after a failed attempt whether another is worth it; needs a constructor without arguments. */
    ActivityOptionsBuilder retryIf(Class<? extends RetryIf> type);

    /** Replaces the whole retry policy, with one of its presets perhaps: {@code o.retry(RetryPolicy.sidekiq())}. */
    ActivityOptionsBuilder retry(RetryPolicy policy);
}
