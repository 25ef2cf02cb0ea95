package dev.durable;

import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.NamedValues;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a child is started. Immutable: each setter gives a changed copy. {@code
 * ChildOptions.id("order-42-shipping").runTimeout(…)}. All times are durations from the moment at which the child is
 * started, by the database's clock. A child has no conflict policy: where a run of its workflow id is open, the child is
 * not started, and its result is a {@link ChildFailedException}.
 *
 * @param id the workflow id; null is one made of the parent's workflow id, its run and the child's number
 * @param reusePolicy whether the id may be used again after its latest run closed
 * @param taskQueue the task queue; null is that of the child's type
 * @param startDelay how long the first turn waits; a signal or a request to cancel that comes meanwhile ends the delay
 * @param expiresIn the child is dropped, as timed out, if no worker has begun it by then; null is never
 * @param executionTimeout how long the chain of runs may take; null is unlimited
 * @param runTimeout how long a run may take; null is unlimited
 * @param memo notes shown in listings, never read by the engine
 * @param headers handed to the child and its activities, beside those of the parent
 * @param parentClosePolicy what happens to it when its parent has ended
 * @param cancellation what a cancellation means for it
 * @param retry says its retry policy, over that of its type; null says none
 * @param summary one line for people about the child, in the parent's {@code ChildStartRequested}; null without
 */
public record ChildOptions(
        @Nullable String id,
        ReusePolicy reusePolicy,
        @Nullable String taskQueue,
        Duration startDelay,
        @Nullable Duration expiresIn,
        @Nullable Duration executionTimeout,
        @Nullable Duration runTimeout,
        Map<String, String> memo,
        Map<String, String> headers,
        ParentClosePolicy parentClosePolicy,
        ChildCancellationType cancellation,
        @Nullable Consumer<? super RetryOptionsBuilder> retry,
        @Nullable String summary) {
    private static final ChildOptions DEFAULTS = new ChildOptions(
            null,
            ReusePolicy.ALLOW_DUPLICATE,
            null,
            Duration.ZERO,
            null,
            null,
            null,
            Map.of(),
            Map.of(),
            ParentClosePolicy.TERMINATE,
            ChildCancellationType.WAIT_CANCELLATION_COMPLETED,
            null,
            null);

    public ChildOptions {
        WaitBounds.notNegative("startDelay", startDelay);
        positive("expiresIn", expiresIn);
        positive("executionTimeout", executionTimeout);
        positive("runTimeout", runTimeout);
        memo = NamedValues.copyOf(memo);
        headers = NamedValues.copyOf(headers);
        summary = summary == null ? null : Bounds.line(summary);
    }

    @Override
    public Map<String, String> memo() {
        return NamedValues.plain(memo);
    }

    @Override
    public Map<String, String> headers() {
        return NamedValues.plain(headers);
    }

    /** The defaults, with an id that is made of the parent's. */
    public static ChildOptions defaults() {
        return DEFAULTS;
    }

    /** The defaults with this workflow id. */
    public static ChildOptions id(String workflowId) {
        return DEFAULTS.withId(workflowId);
    }

    /** These options with another workflow id; null is one made of the parent's. */
    public ChildOptions withId(@Nullable String workflowId) {
        return with(copy -> copy.id = workflowId);
    }

    public ChildOptions reusePolicy(ReusePolicy policy) {
        return with(copy -> copy.reusePolicy = policy);
    }

    public ChildOptions taskQueue(@Nullable String queue) {
        return with(copy -> copy.taskQueue = queue);
    }

    public ChildOptions startDelay(Duration delay) {
        return with(copy -> copy.startDelay = delay);
    }

    public ChildOptions expiresIn(Duration expiry) {
        return with(copy -> copy.expiresIn = expiry);
    }

    public ChildOptions executionTimeout(Duration timeout) {
        return with(copy -> copy.executionTimeout = timeout);
    }

    public ChildOptions runTimeout(Duration timeout) {
        return with(copy -> copy.runTimeout = timeout);
    }

    public ChildOptions memo(String name, String value) {
        return with(copy -> copy.memo = plus(memo, name, value));
    }

    public ChildOptions header(String name, String value) {
        return with(copy -> copy.headers = plus(headers, name, value));
    }

    /** These headers instead of those that were said before. */
    public ChildOptions headers(Map<String, String> all) {
        return with(copy -> copy.headers = all);
    }

    public ChildOptions parentClosePolicy(ParentClosePolicy policy) {
        return with(copy -> copy.parentClosePolicy = policy);
    }

    public ChildOptions cancellation(ChildCancellationType type) {
        return with(copy -> copy.cancellation = type);
    }

    /**
     * Has the child run again when it fails, as {@code StartOptions.retry} does: its parent gets the outcome of the last
     * attempt. Said again, it replaces what was said before; null says nothing.
     */
    public ChildOptions retry(@Nullable Consumer<? super RetryOptionsBuilder> options) {
        return with(copy -> copy.retry = options);
    }

    /**
     * One line for people about the child, which the parent's history shows as plain text; a replay does not compare it.
     * More than 500 characters are cut, and line breaks become blanks. Null takes it away.
     */
    public ChildOptions summary(@Nullable String line) {
        return with(copy -> copy.summary = line);
    }

    /** Without the summary, which may name persons, as this is logged. */
    @Override
    public String toString() {
        return "ChildOptions[id=" + id + ", reusePolicy=" + reusePolicy + ", taskQueue=" + taskQueue + ", startDelay="
                + startDelay + ", expiresIn=" + expiresIn + ", executionTimeout=" + executionTimeout + ", runTimeout="
                + runTimeout + ", memo=" + memo + ", headers=" + headers + ", parentClosePolicy=" + parentClosePolicy
                + ", cancellation=" + cancellation + "]";
    }

    private static Map<String, String> plus(Map<String, String> map, String name, String value) {
        Map<String, String> copy = new LinkedHashMap<>(map);
        copy.put(name, value);
        return copy;
    }

    private static void positive(String what, @Nullable Duration duration) {
        if (duration != null && (duration.isNegative() || duration.isZero())) {
            throw new RefusedInputException(what + " must be longer than zero, not " + duration);
        }
        if (duration != null) {
            WaitBounds.bounded(what, duration);
        }
    }

    private ChildOptions with(Consumer<Copy> change) {
        Copy copy = new Copy(this);
        change.accept(copy);
        return copy.made();
    }

    /** The one place that repeats all components, so that each setter names only what it changes. */
    private static final class Copy {
        private @Nullable String id;
        private ReusePolicy reusePolicy;
        private @Nullable String taskQueue;
        private Duration startDelay;
        private @Nullable Duration expiresIn;
        private @Nullable Duration executionTimeout;
        private @Nullable Duration runTimeout;
        private Map<String, String> memo;
        private Map<String, String> headers;
        private ParentClosePolicy parentClosePolicy;
        private ChildCancellationType cancellation;
        private @Nullable Consumer<? super RetryOptionsBuilder> retry;
        private @Nullable String summary;

        Copy(ChildOptions from) {
            this.id = from.id;
            this.reusePolicy = from.reusePolicy;
            this.taskQueue = from.taskQueue;
            this.startDelay = from.startDelay;
            this.expiresIn = from.expiresIn;
            this.executionTimeout = from.executionTimeout;
            this.runTimeout = from.runTimeout;
            this.memo = from.memo;
            this.headers = from.headers;
            this.parentClosePolicy = from.parentClosePolicy;
            this.cancellation = from.cancellation;
            this.retry = from.retry;
            this.summary = from.summary;
        }

        ChildOptions made() {
            return new ChildOptions(
                    id,
                    reusePolicy,
                    taskQueue,
                    startDelay,
                    expiresIn,
                    executionTimeout,
                    runTimeout,
                    memo,
                    headers,
                    parentClosePolicy,
                    cancellation,
                    retry,
                    summary);
        }
    }
}
