package dev.durable;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
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
 * @param startDelay how long the first turn waits; a signal or a request to cancel that comes meanwhile ends the delay, as
 *     in Temporal. Timers and {@code Durable.now()} of the code count from the first turn
 * @param expiresAt the start is dropped if no worker has begun by then; null is never
 * @param memo notes shown in listings, never read by the engine
 * @param headers handed to the run and its activities
 * @param priority of a background job: higher goes first, within the aging of the queue; null is the activity's
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
        @Nullable Integer priority) {

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
        Waits.notNegative("startDelay", startDelay);
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
                priority);
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
                priority);
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
                priority);
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
                priority);
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
                priority);
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
                priority);
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
                priority);
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
                priority);
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
                priority);
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
                value);
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
                priority);
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
            Waits.bounded(what, timeout);
        }
    }
}
