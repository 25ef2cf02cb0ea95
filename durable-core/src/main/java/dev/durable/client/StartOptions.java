package dev.durable.client;

import dev.durable.ActivityOptionsBuilder;
import dev.durable.ConflictPolicy;
import dev.durable.RefusedInputException;
import dev.durable.RetryOptionsBuilder;
import dev.durable.RetryPolicy;
import dev.durable.ReusePolicy;
import dev.durable.Versioning;
import dev.durable.WaitBounds;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.NamedValues;
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
 * @param id the workflow id: the business identity, at most one open run has it; empty where each start makes one
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
 * @param retry says the retry policy of the workflow, over that of its type; null says none
 * @param debounce when to begin a run that many starts ask for; null is at the first start
 * @param by the caller's name, as the history and the description show it; null is the process, by its identity
 * @param versioning which builds may go on with the run, over what its type says; null says nothing
 * @param pinnedTo the build that alone begins the run and goes on with it; null names none
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
        @Nullable Consumer<? super RetryOptionsBuilder> retry,
        @Nullable Debounce debounce,
        @Nullable String by,
        @Nullable Versioning versioning,
        @Nullable String pinnedTo) {

    /**
     * When a run begins that many starts ask for.
     *
     * @param quiet how long after the latest start
     * @param max how long after the first start at the latest
     */
    public record Debounce(Duration quiet, Duration max) {
        public Debounce {
            positive("debounce: quiet", Objects.requireNonNull(quiet, "quiet"));
            positive("debounce: max", Objects.requireNonNull(max, "max"));
        }
    }

    /** The longest workflow id, in UTF-16 units. */
    public static final int MAX_ID_LENGTH = 512;

    public StartOptions {
        Objects.requireNonNull(id, "workflow id");
        if (!id.isEmpty()) {
            checked(id);
        }
        positive("executionTimeout", executionTimeout);
        positive("runTimeout", runTimeout);
        WaitBounds.notNegative("startDelay", Objects.requireNonNull(startDelay, "startDelay; Duration.ZERO is none"));
        memo = NamedValues.copyOf(memo);
        headers = NamedValues.copyOf(headers);
    }

    @Override
    public Map<String, String> memo() {
        return NamedValues.plain(memo);
    }

    @Override
    public Map<String, String> headers() {
        return NamedValues.plain(headers);
    }

    /** Options with this workflow id and the defaults for all else. */
    public static StartOptions id(String workflowId) {
        return of(checked(workflowId));
    }

    /**
     * Options without a workflow id, and the defaults for all else: each start makes an id that no other run has, which
     * its handle tells: {@code client.start(Report.class, StartOptions.generatedId(), w -> w.run(month)).workflowId()}. It
     * is the text of a UUID (version 7, so ids follow each other in time); that of a background job begins with the name
     * of its activity. A caller that repeats a start whose answer it did not get begins a second run: name an {@link #id
     * id} where that must not be.
     */
    public static StartOptions generatedId() {
        return of("");
    }

    private static StartOptions of(String id) {
        return new StartOptions(
                id,
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
                null,
                null,
                null,
                null,
                null);
    }

    public StartOptions reusePolicy(ReusePolicy policy) {
        return with(copy -> copy.reusePolicy = policy);
    }

    public StartOptions conflictPolicy(ConflictPolicy policy) {
        return with(copy -> copy.conflictPolicy = policy);
    }

    public StartOptions taskQueue(String queue) {
        return with(copy -> copy.taskQueue = queue);
    }

    public StartOptions executionTimeout(Duration timeout) {
        return with(copy -> copy.executionTimeout = timeout);
    }

    public StartOptions runTimeout(Duration timeout) {
        return with(copy -> copy.runTimeout = timeout);
    }

    public StartOptions startDelay(Duration delay) {
        return with(copy -> copy.startDelay = delay);
    }

    /**
     * Makes one run of many starts of one workflow id: {@code StartOptions.id("reindex-" + doc).debounce(ofSeconds(30),
     * ofMinutes(10))}. The run begins when {@code quiet} has passed since the latest of them, and at the latest {@code
     * max} after the first, with the arguments, queue, headers and timeouts of the latest; each call gets a handle of the
     * chain in which that run stands, and so its result. A start that comes when the run has begun meets the conflict
     * policy as any other does; when the run has ended, it is the first of another. A signal or a request to cancel ends
     * the wait, as it ends a {@link #startDelay}. Each start that is replaced leaves a closed run of two events, so it
     * costs as much as a start. It takes part in no transaction of the caller, and is for workflows only: not for
     * background jobs, {@code signalWithStart} and {@code updateWithStart}.
     */
    public StartOptions debounce(Duration quiet, Duration max) {
        return with(copy -> copy.debounce = new Debounce(quiet, max));
    }

    public StartOptions expiresAt(Instant when) {
        return with(copy -> copy.expiresAt = when);
    }

    public StartOptions memo(String name, String value) {
        return with(copy -> copy.memo = plus(memo, name, value));
    }

    public StartOptions header(String name, String value) {
        return with(copy -> copy.headers = plus(headers, name, value));
    }

    /** These headers instead of those that were said before. */
    public StartOptions headers(Map<String, String> all) {
        String start = id.isEmpty() ? "start" : "start of " + id;
        all.forEach((name, value) -> Bounds.given(start + ": header", name, value));
        return with(copy -> copy.headers = all);
    }

    /** Of a background job: higher goes first, within the aging of the queue. Workflows have none of their own. */
    public StartOptions priority(int value) {
        return with(copy -> copy.priority = value);
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
        return with(copy -> copy.activity = before == null ? options : both(before, options));
    }

    /**
     * Has the workflow run again when it fails: {@code o -> o.maxAttempts(3).doNotRetry(CardDeclined.class)}. Options go
     * over those of {@code @Workflow(retry = …)} one by one, and what neither says is that of {@link RetryPolicy#DEFAULT};
     * {@code maxAttempts(1)} takes the policy of the type away. Called again, it adds to what was said before. Each attempt
     * is a run of its own under the workflow id, with the same arguments; no attempt begins at the execution timeout or
     * later. {@code within}, {@code retryIf} and {@code onExhausted} are not for workflows.
     */
    public StartOptions retry(Consumer<? super RetryOptionsBuilder> options) {
        Consumer<? super RetryOptionsBuilder> before = retry;
        return with(copy -> copy.retry = before == null ? options : both(before, options));
    }

    /** Has the workflow run again when it fails, by this policy instead of that of its type. */
    public StartOptions retry(RetryPolicy policy) {
        return retry(o -> o.policy(policy));
    }

    /**
     * Names the caller, such as a user: its history, {@code describe()} and {@code v_workflow} show the name, which is
     * not checked.
     */
    public StartOptions by(String caller) {
        return with(copy -> copy.by = caller);
    }

    /**
     * Says which builds may go on with the run, whatever its type says: with {@code PINNED} only the build that makes its
     * first turn goes on with it; where that process names no build, the run is not pinned. It holds for the runs that
     * continue this one as new, and for its attempts, too: each is pinned to the build that begins it. Not for background
     * jobs.
     */
    public StartOptions versioning(Versioning versioning) {
        return with(copy -> copy.versioning = versioning);
    }

    /**
     * Pins the run to a build, which alone begins it and goes on with it, whatever its type and {@link #versioning} say: to
     * try a build that is {@linkplain Builds#ramp ramped} to 0, or to keep what belongs together on one. It waits until a
     * process of that build serves its task queue; {@link WorkflowHandle#moveTo} pins it to another. A run that continues it
     * as new, and its next attempt, are as their type says. Not for background jobs.
     */
    public StartOptions pinnedTo(String build) {
        return with(copy -> copy.pinnedTo = Bounds.build("StartOptions.pinnedTo(…)", build));
    }

    /** Returns whether options were chosen for a background job's activity. */
    public boolean choosesForActivity() {
        return activity != null;
    }

    private static <B> Consumer<B> both(Consumer<? super B> first, Consumer<? super B> second) {
        return builder -> {
            first.accept(builder);
            second.accept(builder);
        };
    }

    /** Copies the options with another workflow id. */
    public StartOptions withId(String other) {
        return with(copy -> copy.id = checked(other));
    }

    /** Returns whether each start makes its own id: {@link #generatedId()}. */
    public boolean generatesId() {
        return id.isEmpty();
    }

    private static String checked(String id) {
        if (id.isBlank() || id.length() > MAX_ID_LENGTH || id.indexOf('\0') >= 0) {
            throw new RefusedInputException("workflow id must be 1 to " + MAX_ID_LENGTH
                    + " characters, not blank and without NUL; this one has " + id.length()
                    + ". Use a short business key such as \"order-42\", or StartOptions.generatedId().");
        }
        return id;
    }

    private static Map<String, String> plus(Map<String, String> map, String name, String value) {
        Map<String, String> copy = new LinkedHashMap<>(map);
        copy.put(name, value);
        return copy;
    }

    private static void positive(String what, @Nullable Duration timeout) {
        if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
            throw new RefusedInputException(what + " must be longer than zero, not " + timeout);
        }
        if (timeout != null) {
            WaitBounds.bounded(what, timeout);
        }
    }

    private StartOptions with(Consumer<Copy> change) {
        Copy copy = new Copy(this);
        change.accept(copy);
        return copy.made();
    }

    /** The one place that repeats all components, so that each setter names only what it changes. */
    private static final class Copy {
        private String id;
        private ReusePolicy reusePolicy;
        private ConflictPolicy conflictPolicy;
        private @Nullable String taskQueue;
        private @Nullable Duration executionTimeout;
        private @Nullable Duration runTimeout;
        private Duration startDelay;
        private @Nullable Instant expiresAt;
        private Map<String, String> memo;
        private Map<String, String> headers;
        private @Nullable Integer priority;
        private @Nullable Consumer<? super ActivityOptionsBuilder> activity;
        private @Nullable Consumer<? super RetryOptionsBuilder> retry;
        private @Nullable Debounce debounce;
        private @Nullable String by;
        private @Nullable Versioning versioning;
        private @Nullable String pinnedTo;

        Copy(StartOptions from) {
            this.id = from.id;
            this.reusePolicy = from.reusePolicy;
            this.conflictPolicy = from.conflictPolicy;
            this.taskQueue = from.taskQueue;
            this.executionTimeout = from.executionTimeout;
            this.runTimeout = from.runTimeout;
            this.startDelay = from.startDelay;
            this.expiresAt = from.expiresAt;
            this.memo = from.memo;
            this.headers = from.headers;
            this.priority = from.priority;
            this.activity = from.activity;
            this.retry = from.retry;
            this.debounce = from.debounce;
            this.by = from.by;
            this.versioning = from.versioning;
            this.pinnedTo = from.pinnedTo;
        }

        StartOptions made() {
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
                    retry,
                    debounce,
                    by,
                    versioning,
                    pinnedTo);
        }
    }
}
