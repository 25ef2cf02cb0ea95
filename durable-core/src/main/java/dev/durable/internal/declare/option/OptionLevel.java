package dev.durable.internal.declare.option;

import dev.durable.ActivityOptions;
import dev.durable.RetryPolicy;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The options that one level (type, method, configuration, call site) sets, attribute by attribute, inside the retry
 * policy too; levels are merged. Mutable while it is read, then only put over others.
 */
public final class OptionLevel {
    private final Map<Option, Object> values = new EnumMap<>(Option.class);
    private final Map<String, String> headers = new LinkedHashMap<>();

    /**
     * Sets an option.
     *
     * @throws IllegalArgumentException with the values that are allowed
     */
    public OptionLevel set(Option option, Object value) {
        values.put(option, option.value().check(value));
        return this;
    }

    public OptionLevel header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    /** Adds classes to those that this level names already. */
    public OptionLevel doNotRetry(List<String> classNames) {
        values.put(Option.DO_NOT_RETRY, union(doNotRetry(), classNames));
        return this;
    }

    public boolean sets(Option option) {
        return values.containsKey(option);
    }

    /** Returns whether it sets no option. */
    public boolean isEmpty() {
        return values.isEmpty();
    }

    /** Returns the headers that this level sets. */
    public Map<String, String> headers() {
        return Map.copyOf(headers);
    }

    /** Returns the options that this level sets, except these, with the keys and texts of configuration. */
    public Map<String, String> texts(Set<Option> without) {
        Map<String, String> texts = new LinkedHashMap<>();
        values.forEach((option, value) -> {
            if (!without.contains(option)) {
                texts.put(option.key(), OptionValue.text(value));
            }
        });
        return texts;
    }

    /** Sets options from such texts; keys that this release does not know, as of a newer one, are left out. */
    public OptionLevel read(Map<String, String> texts) {
        for (Option option : Option.values()) {
            String text = texts.get(option.key());
            if (text != null) {
                values.put(option, option.value().read(text));
            }
        }
        return this;
    }

    boolean setsHeader(String name) {
        return headers.containsKey(name);
    }

    /** Forgets the retry policy that this level sets. */
    public void clearRetry() {
        values.keySet().removeIf(option -> option.key().startsWith("retry."));
    }

    /** Merges this level over an outer one. */
    public OptionLevel over(OptionLevel outer) {
        OptionLevel merged = new OptionLevel();
        merged.values.putAll(outer.values);
        merged.values.putAll(values);
        merged.headers.putAll(outer.headers);
        merged.headers.putAll(headers);
        return merged;
    }

    /** Merges this level over an outer one where {@code doNotRetry} exceptions only add, as in annotations. */
    public OptionLevel addedTo(OptionLevel outer) {
        OptionLevel merged = over(outer);
        List<String> both = union(outer.doNotRetry(), doNotRetry());
        if (!both.isEmpty()) {
            merged.values.put(Option.DO_NOT_RETRY, both);
        }
        return merged;
    }

    /**
     * Merges this level over complete options.
     *
     * @throws IllegalArgumentException when the options of the levels do not fit together
     */
    public ActivityOptions applyTo(ActivityOptions base) {
        return applyTo(base, base.retry());
    }

    /** Merges this level over complete options, with another retry policy below. */
    public ActivityOptions applyTo(ActivityOptions base, RetryPolicy policy) {
        Map<String, String> allHeaders = new LinkedHashMap<>(base.headers());
        allHeaders.putAll(headers);
        boolean transactional = get(Option.TRANSACTIONAL, base.transactional());
        boolean local = get(Option.LOCAL, base.local());
        if (transactional && local) {
            throw new IllegalArgumentException(
                    "It is both transactional and local, and a local activity has no job that"
                            + " its transaction could complete. Take one of them away: local for work that may be done again,"
                            + " transactional for writes that must not be");
        }
        boolean atMostOnce = get(Option.AT_MOST_ONCE, base.atMostOnce());
        if (atMostOnce && local) {
            throw new IllegalArgumentException("It is both at most once and local, and a local activity is called again"
                    + " when its worker is lost. Take one of them away");
        }
        return new ActivityOptions(
                get(Option.TASK_QUEUE, base.taskQueue()),
                get(Option.START_TO_CLOSE, base.startToClose()),
                get(Option.SCHEDULE_TO_START, base.scheduleToStart()),
                get(Option.SCHEDULE_TO_CLOSE, base.scheduleToClose()),
                get(Option.HEARTBEAT_TIMEOUT, base.heartbeatTimeout()),
                retry(policy, atMostOnce),
                get(Option.PRIORITY, base.priority()),
                transactional,
                local,
                atMostOnce,
                allHeaders,
                get(Option.LIMIT_KEY, base.limitKey()),
                get(Option.CANCELLATION, base.cancellation()),
                base.expiresAt(),
                base.summary());
    }

    /**
     * Merges this level over a complete retry policy.
     *
     * @throws IllegalArgumentException when both do not fit together
     */
    public RetryPolicy applyTo(RetryPolicy base) {
        return retry(base, false);
    }

    private RetryPolicy retry(RetryPolicy base, boolean once) {
        int attempts = get(Option.MAX_ATTEMPTS, once ? 1 : base.maxAttempts());
        if (once && attempts != 1) {
            throw new IllegalArgumentException("It is at most once and has maxAttempts " + attempts
                    + " (0 is unlimited), which would begin it again. Take one of them away");
        }
        Duration initialInterval = get(Option.INITIAL_INTERVAL, base.initialInterval());
        return new RetryPolicy(
                attempts,
                initialInterval,
                get(Option.BACKOFF, base.backoff()),
                get(Option.MAX_INTERVAL, longer(base.maxInterval(), initialInterval)),
                get(Option.JITTER, base.jitter()),
                get(Option.DO_NOT_RETRY, base.doNotRetry()),
                get(Option.MAX_WORKER_CRASHES, base.maxWorkerCrashes()),
                get(Option.GROWTH, base.growth()),
                get(Option.RETRY_IF, base.retryIf()),
                get(Option.ON_EXHAUSTED, base.onExhausted()),
                base.attemptsBefore());
    }

    /**
     * Returns the bound, raised to the first interval: an application that sets only a long first interval wants it,
     * and a default bound is no reason to refuse it.
     */
    private static Duration longer(Duration bound, Duration initialInterval) {
        return bound.compareTo(initialInterval) < 0 ? initialInterval : bound;
    }

    private List<String> doNotRetry() {
        return get(Option.DO_NOT_RETRY, List.<String>of());
    }

    public static List<String> union(List<String> first, List<String> second) {
        Set<String> both = new LinkedHashSet<>(first);
        both.addAll(second);
        return List.copyOf(both);
    }

    /**
     * Returns the value of an option. Each option has values of one class only, which its {@link OptionValue} has
     * checked.
     */
    @SuppressWarnings("unchecked")
    private <T extends @Nullable Object> T get(Option option, T otherwise) {
        Object value = values.get(option);
        return value == null ? otherwise : (T) value;
    }
}
