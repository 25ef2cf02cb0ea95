package dev.durable.internal.declare;

import dev.durable.ActivityCancellationType;
import dev.durable.ActivityOptions;
import dev.durable.ActivityOptionsBuilder;
import dev.durable.OnExhausted;
import dev.durable.RetryIf;
import dev.durable.RetryPolicy;
import dev.durable.history.EnqueuedOptions;
import dev.durable.internal.declare.option.Option;
import dev.durable.internal.declare.option.OptionLevel;
import dev.durable.internal.declare.option.OptionValue;
import dev.durable.internal.text.Bounds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The options builder of a call site, {@code Durable.activities(Payments.class, o -> o.startToClose(…))}. It is the
 * last level: it may also switch off options that annotations switched on. Its {@code doNotRetry} exceptions add to the
 * declared ones.
 */
public final class OptionsAtCallSite implements ActivityOptionsBuilder {
    /** The options for which a job's row has columns, by which the store acts without a worker. */
    private static final Set<Option> IN_THE_ROW = EnumSet.of(
            Option.TASK_QUEUE,
            Option.SCHEDULE_TO_START,
            Option.PRIORITY,
            Option.LIMIT_KEY,
            Option.LOCAL,
            Option.MAX_WORKER_CRASHES);

    private final OptionLevel level = new OptionLevel();
    private final List<String> doNotRetry = new ArrayList<>();
    private @Nullable RetryPolicy replacement;
    private @Nullable String summary;

    /** Returns the options that were chosen where a job was enqueued, to be put over others or added to. */
    public static OptionsAtCallSite of(EnqueuedOptions chosen) {
        OptionsAtCallSite site = new OptionsAtCallSite();
        RetryPolicy policy = chosen.retry();
        if (policy != null) {
            site.replace(policy);
        }
        site.level.read(chosen.values());
        chosen.headers().forEach(site::header);
        site.doNotRetry.addAll(chosen.doNotRetry());
        return site;
    }

    /**
     * Returns the options that were set here, to be kept with a background job, without those for which its row has
     * columns.
     */
    public EnqueuedOptions chosen() {
        return new EnqueuedOptions(level.texts(IN_THE_ROW), level.headers(), doNotRetry, replacement);
    }

    /**
     * Returns the declared options with those that were set here put over them.
     *
     * @throws IllegalArgumentException when both do not fit together
     */
    public ActivityOptions apply(ActivityOptions declared) {
        RetryPolicy base = replacement == null ? declared.retry() : replacement;
        OptionLevel exceptions = new OptionLevel().doNotRetry(OptionLevel.union(base.doNotRetry(), doNotRetry));
        ActivityOptions applied = level.over(exceptions).applyTo(declared, base);
        return summary == null ? applied : applied.withSummary(summary);
    }

    @Override
    public OptionsAtCallSite taskQueue(String taskQueue) {
        return set(Option.TASK_QUEUE, taskQueue);
    }

    @Override
    public OptionsAtCallSite startToClose(Duration timeout) {
        return set(Option.START_TO_CLOSE, timeout);
    }

    @Override
    public OptionsAtCallSite scheduleToStart(Duration timeout) {
        return set(Option.SCHEDULE_TO_START, timeout);
    }

    @Override
    public OptionsAtCallSite scheduleToClose(Duration timeout) {
        return set(Option.SCHEDULE_TO_CLOSE, timeout);
    }

    @Override
    public OptionsAtCallSite heartbeatTimeout(Duration timeout) {
        return set(Option.HEARTBEAT_TIMEOUT, timeout);
    }

    @Override
    public OptionsAtCallSite priority(int priority) {
        return set(Option.PRIORITY, priority);
    }

    @Override
    public OptionsAtCallSite local(boolean local) {
        return set(Option.LOCAL, local);
    }

    @Override
    public OptionsAtCallSite transactional(boolean transactional) {
        return set(Option.TRANSACTIONAL, transactional);
    }

    @Override
    public OptionsAtCallSite atMostOnce(boolean atMostOnce) {
        return set(Option.AT_MOST_ONCE, atMostOnce);
    }

    @Override
    public OptionsAtCallSite limitKey(String key) {
        return set(Option.LIMIT_KEY, key);
    }

    @Override
    public OptionsAtCallSite cancellation(ActivityCancellationType type) {
        return set(Option.CANCELLATION, type);
    }

    @Override
    public OptionsAtCallSite summary(String line) {
        summary = Bounds.line(line);
        return this;
    }

    @Override
    public OptionsAtCallSite header(String name, String value) {
        level.header(name, value);
        return this;
    }

    @Override
    public OptionsAtCallSite maxAttempts(int maxAttempts) {
        return set(Option.MAX_ATTEMPTS, maxAttempts);
    }

    @Override
    public OptionsAtCallSite initialInterval(Duration interval) {
        return set(Option.INITIAL_INTERVAL, interval);
    }

    @Override
    public OptionsAtCallSite backoff(double coefficient) {
        return set(Option.BACKOFF, coefficient);
    }

    @Override
    public OptionsAtCallSite growth(RetryPolicy.Growth growth) {
        return set(Option.GROWTH, growth);
    }

    @Override
    public OptionsAtCallSite maxInterval(Duration interval) {
        return set(Option.MAX_INTERVAL, interval);
    }

    @Override
    public OptionsAtCallSite jitter(double jitter) {
        return set(Option.JITTER, jitter);
    }

    @Override
    public OptionsAtCallSite doNotRetry(Class<? extends Throwable> type) {
        doNotRetry.add(type.getName());
        return this;
    }

    @Override
    public OptionsAtCallSite maxWorkerCrashes(int crashes) {
        return set(Option.MAX_WORKER_CRASHES, crashes);
    }

    @Override
    public OptionsAtCallSite onExhausted(OnExhausted then) {
        return set(Option.ON_EXHAUSTED, then);
    }

    @Override
    public OptionsAtCallSite retryIf(Class<? extends RetryIf> type) {
        OptionProblems.unusableRetryIf(type).ifPresent(reason -> {
            throw new IllegalArgumentException("retryIf is wrong at a call site. " + reason);
        });
        return set(Option.RETRY_IF, type.getName());
    }

    @Override
    public OptionsAtCallSite retry(RetryPolicy policy) {
        try {
            OptionValue.CLASS_NAMES.check(policy.doNotRetry());
            if (policy.retryIf() != null) {
                OptionValue.CLASS_NAME.check(policy.retryIf());
            }
            OptionValue.DELAY.check(policy.initialInterval());
            OptionValue.DELAY.check(policy.maxInterval());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("retry is wrong at a call site. " + e.getMessage(), e);
        }
        return replace(policy);
    }

    private OptionsAtCallSite replace(RetryPolicy policy) {
        level.clearRetry();
        doNotRetry.clear();
        replacement = policy;
        return this;
    }

    private OptionsAtCallSite set(Option option, Object value) {
        try {
            level.set(option, value);
            return this;
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(option.attribute() + " is wrong at a call site. " + e.getMessage(), e);
        }
    }
}
