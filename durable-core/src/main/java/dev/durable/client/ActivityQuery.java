package dev.durable.client;

import dev.durable.ActivityOptionsBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A selection of activities that have not ended, and what an operator can do to all of them:
 *
 * <pre>{@code
 * client.activities().where(a -> a.activity("Payments.charge").state(DELAYED)).by("ann").retry();
 * }</pre>
 *
 * <p>Each verb gives the number of activities that it changed: those that ended meanwhile, or that stand so already, do not
 * count. Each change is an event in the history, written with the activity's end, and a row of the audit. They go through
 * the selection page by page, each page in one commit.
 *
 * <p>Immutable: each call gives a narrowed copy. Thread-safe.
 */
public interface ActivityQuery {

    /** Keeps the activities that satisfy the filter as well. */
    ActivityQuery where(UnaryOperator<Filter> filter);

    /** Names the operator, for events and audit; the identity of this process by default. */
    ActivityQuery by(String actor);

    /**
     * The first page of at most that many, by run and number in the run; fewer where their heartbeat details make some MiB
     * together.
     */
    Page<ActivitySummary> page(int size);

    /**
     * The page of at most that many that begins behind another one.
     *
     * @param next what {@link Page#next()} gave, of this listing; null is the front
     * @throws IllegalArgumentException for a text that is none
     */
    Page<ActivitySummary> page(int size, @Nullable String next);

    /** All of them, read page by page. */
    Stream<ActivitySummary> stream();

    /** How many there are. Reads all of them: of a large listing rather ask {@link #count(long)}. */
    long count();

    /**
     * How many there are, counted up to a bound.
     *
     * @throws IllegalArgumentException for a bound that is negative
     */
    BoundedCount count(long bound);

    /**
     * Those that wait for their next attempt begin it now; incidents and dead letters are {@linkplain
     * IncidentControl#retry() tried again}. Paused ones stay so. Running ones are left alone.
     */
    long retry();

    /**
     * Those that wait for a time, their first one or that of a retry, begin now. Those that run, and incidents and dead
     * letters, are left alone; paused ones stay so. What has not begun counts as scheduled now: its timeouts run from here.
     */
    long runNow();

    /**
     * Those that wait begin at that time, and not before: one that is ready or delayed, whether it has not begun yet or waits
     * for a retry. Those that run, and incidents and dead letters, are left alone; paused ones are due then when they are
     * resumed. What has not begun counts as scheduled then: its timeouts run from there, and one that expires before is
     * left alone. A run timeout stays.
     *
     * @throws IllegalArgumentException for a time that has passed, and for one that is more than a hundred years ahead
     */
    long reschedule(Instant at);

    /** Those that wait are held until they are resumed; those that run finish their attempt, and a retry is held. */
    long pause();

    /** They go on as if they had not been paused. */
    long resume();

    /**
     * The deadline of those that run becomes now + timeout, longer or shorter; a worker learns of it within a tenth of
     * its
     * session's lease. Those that wait have that start-to-close from their next attempt on.
     */
    long updateTimeout(Duration timeout);

    /**
     * Other timeouts or another retry policy, from the next decision on.
     *
     * @throws IllegalArgumentException for what can't be changed: queue, priority, local, transactional, headers
     */
    long updateOptions(Consumer<ActivityOptionsBuilder> change);

    /**
     * They end with this value, whatever state they are in. A worker that runs one learns that its attempt is stale.
     */
    long complete(@Nullable Object value);

    /** They end with this failure: no further attempt. */
    long fail(Throwable failure);

    /**
     * Background jobs are asked to stop, as by {@link ActivityHandle#cancel}, but at once also inside of a transaction, and
     * with a row of the audit; tells how many were asked. Activities of workflows are left alone: their workflow's code
     * cancels them, or goes with its run.
     */
    long cancel(String reason);

    /** Conditions on activities; all that are set must hold. */
    interface Filter {
        Filter workflowId(String workflowId);

        Filter runId(UUID runId);

        /** Its number in the run. */
        Filter seq(int seq);

        /** Its name: {@code Payments.charge}. */
        Filter activity(String name);

        Filter taskQueue(String taskQueue);

        /** One of these. */
        Filter state(ActivityState... states);

        /** In this attempt or a later one. */
        Filter attemptFrom(int attempt);
    }
}
