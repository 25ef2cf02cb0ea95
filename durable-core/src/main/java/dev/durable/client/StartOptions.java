package dev.durable.client;

import dev.durable.ActivityOptionsBuilder;
import dev.durable.ConflictPolicy;
import dev.durable.ReusePolicy;
import dev.durable.WaitBounds;
import dev.durable.store.RecordText;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a run is started. Immutable: each setter gives a changed copy. {@code StartOptions.id("order-42").runTimeout(…)}.
 *
 * @param id the workflow id: the business identity, at most one open run has it
 * @param reusePolicy whether the id may be used again after its latest run closed
 * @param conflictPolicy what happens when a run of this id is open
 * @param taskQueue the task queue; null is the workflow type's
 * @param executionTimeout how long the chain of runs may take; null is unlimited
 * @param runTimeout how long this run may take; null is unlimited
 * @param startDelay how long the first turn waits; a signal or a request to cancel that comes meanwhile ends the delay,
 *     and so does the signal of {@code signalWithStart} itself: a run that it starts begins at once. Timers and {@code Durable.now()} of the code count from the first turn. Of a background job, how long it
 *     waits; it is listed from the start
 * @param expiresAt the start is dropped if no worker has begun by then; null is never. A job that has begun does not
 *     expire, also when another worker goes on with it
 * @param memo notes shown in listings, never read by the engine
 * @param headers handed to the run and its activities
 * @param priority of a background job: higher goes first, within the aging of the queue; null is the activity's
 * @param activity of a background job: says options of its activity; null says none
 * @param by who starts it, as the history and the description show it; null is the process, by its identity
 */
public record StartOptions(
        String id,
        ReusePolicy reusePolicy,
        ConflictPolicy conflictPolicy,
        @Nullable String taskQueue,
        @Nullable Duration executionTimeout,
        @Nullable Duration runTimeout,
        Duration startDelay,
        @Nullable Instant expiresAt,
        Map<String, String> memo,
        Map<String, String> headers,
        @Nullable Integer priority,
        @Nullable Consumer<? super ActivityOptionsBuilder> activity,
        @Nullable String by) {

    /** The longest workflow id, in UTF-16 units. */
    public static final int MAX_ID_LENGTH = 512;

    public StartOptions {
        Objects.requireNonNull(id, "workflow id");
        if (id.isBlank() || id.length() > MAX_ID_LENGTH || id.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("workflow id must be 1 to " + MAX_ID_LENGTH
                    + " characters, not blank and without NUL; this one has " + id.length()
                    + ". Use a short business key such as \"order-42\".");
        }
        positive("executionTimeout", executionTimeout);
        positive("runTimeout", runTimeout);
        WaitBounds.notNegative("startDelay", Objects.requireNonNull(startDelay, "startDelay; Duration.ZERO is none"));
        memo = Map.copyOf(memo);
        headers = Map.copyOf(headers);
    }

    /** Options with this workflow id and the defaults for all else. */
    public static StartOptions id(String workflowId) {
        return new StartOptions(
                workflowId,
                ReusePolicy.ALLOW_DUPLICATE,
                ConflictPolicy.FAIL,
                null,
                null,
                null,
                Duration.ZERO,
                null,
                Map.of(),
                Map.of(),
                null,
                null,
                null);
    }

    public StartOptions reusePolicy(ReusePolicy policy) {
        return new StartOptions(
                id,
                policy,
                conflictPolicy,
                taskQueue,
                executionTimeout,
                runTimeout,
                startDelay,
                expiresAt,
                memo,
                headers,
                priority,
                activity,
                by);
    }

    public StartOptions conflictPolicy(ConflictPolicy policy) {
        return new StartOptions(
                id,
                reusePolicy,
                policy,
                taskQueue,
                executionTimeout,
                runTimeout,
                startDelay,
                expiresAt,
                memo,
                headers,
                priority,
                activity,
                by);
    }

    public StartOptions taskQueue(String queue) {
        return new StartOptions(
                id,
                reusePolicy,
                conflictPolicy,
                queue,
                executionTimeout,
                runTimeout,
                startDelay,
                expiresAt,
                memo,
                headers,
                priority,
                activity,
                by);
    }

    public StartOptions executionTimeout(Duration timeout) {
        return new StartOptions(
                id,
                reusePolicy,
                conflictPolicy,
                taskQueue,
                timeout,
                runTimeout,
                startDelay,
                expiresAt,
                memo,
                headers,
                priority,
                activity,
                by);
    }

    public StartOptions runTimeout(Duration timeout) {
        return new StartOptions(
                id,
                reusePolicy,
                conflictPolicy,
                taskQueue,
                executionTimeout,
                timeout,
                startDelay,
                expiresAt,
                memo,
                headers,
                priority,
                activity,
                by);
    }

    public StartOptions startDelay(Duration delay) {
        return new StartOptions(
                id,
                reusePolicy,
                conflictPolicy,
                taskQueue,
                executionTimeout,
                runTimeout,
                delay,
                expiresAt,
                memo,
                headers,
                priority,
                activity,
                by);
    }

    public StartOptions expiresAt(Instant when) {
        return new StartOptions(
                id,
                reusePolicy,
                conflictPolicy,
                taskQueue,
                executionTimeout,
                runTimeout,
                startDelay,
                when,
                memo,
                headers,
                priority,
                activity,
                by);
    }

    public StartOptions memo(String name, String value) {
        return new StartOptions(
                id,
                reusePolicy,
                conflictPolicy,
                taskQueue,
                executionTimeout,
                runTimeout,
                startDelay,
                expiresAt,
                with(memo, name, value),
                headers,
                priority,
                activity,
                by);
    }

    public StartOptions header(String name, String value) {
        return new StartOptions(
                id,
                reusePolicy,
                conflictPolicy,
                taskQueue,
                executionTimeout,
                runTimeout,
                startDelay,
                expiresAt,
                memo,
                with(headers, name, value),
                priority,
                activity,
                by);
    }

    /** Of a background job: higher goes first, within the aging of the queue. Workflows have none of their own. */
    public StartOptions priority(int value) {
        return new StartOptions(
                id,
                reusePolicy,
                conflictPolicy,
                taskQueue,
                executionTimeout,
                runTimeout,
                startDelay,
                expiresAt,
                memo,
                headers,
                value,
                activity,
                by);
    }

    /**
     * Of a background job: options of its activity, over those it is declared and configured with: {@code
     * StartOptions.id("mail-7").activity(o -> o.retry(RetryPolicy.sidekiq()).limitKey("smtp"))}. Called again, it adds to
     * what was said before. What is not said is taken from the configuration of the worker that begins the job, but for
     * what the store goes by until then: queue, priority, limit key, schedule-to-start and the number of workers that it
     * may cost are those that the enqueuing process knows. Workflows choose options where they call their activities.
     */
    public StartOptions activity(Consumer<? super ActivityOptionsBuilder> options) {
        Consumer<? super ActivityOptionsBuilder> before = activity;
        return new StartOptions(
                id,
                reusePolicy,
                conflictPolicy,
                taskQueue,
                executionTimeout,
                runTimeout,
                startDelay,
                expiresAt,
                memo,
                headers,
                priority,
                before == null ? options : both(before, options),
                by);
    }

    /** Who starts it, such as a user's name: its history, {@code describe()} and {@code v_workflow} show it. Nobody checks it. */
    public StartOptions by(String caller) {
        return new StartOptions(
                id,
                reusePolicy,
                conflictPolicy,
                taskQueue,
                executionTimeout,
                runTimeout,
                startDelay,
                expiresAt,
                memo,
                headers,
                priority,
                activity,
                caller);
    }

    /** Whether options of a background job's activity were said. */
    public boolean choosesForActivity() {
        return activity != null;
    }

    private static Consumer<ActivityOptionsBuilder> both(
            Consumer<? super ActivityOptionsBuilder> first, Consumer<? super ActivityOptionsBuilder> second) {
        return builder -> {
            first.accept(builder);
            second.accept(builder);
        };
    }

    /** The same for another workflow id. */
    public StartOptions withId(String other) {
        return new StartOptions(
                other,
                reusePolicy,
                conflictPolicy,
                taskQueue,
                executionTimeout,
                runTimeout,
                startDelay,
                expiresAt,
                memo,
                headers,
                priority,
                activity,
                by);
    }

    private static Map<String, String> with(Map<String, String> map, String name, String value) {
        Map<String, String> copy = new LinkedHashMap<>(map);
        copy.put(name, value);
        return copy;
    }

    private static void positive(String what, @Nullable Duration timeout) {
        if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
            throw new IllegalArgumentException(what + " must be longer than zero, not " + timeout);
        }
        if (timeout != null) {
            WaitBounds.bounded(what, timeout);
        }
    }

    @Override
    public String toString() {
        return RecordText.of(this);
    }
}
