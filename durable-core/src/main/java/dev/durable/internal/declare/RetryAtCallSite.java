package dev.durable.internal.declare;

import dev.durable.ActivityOptions;
import dev.durable.RetryIf;
import dev.durable.RetryOptionsBuilder;
import dev.durable.RetryPolicy;
import dev.durable.WaitBounds;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The options of a retry policy that a call gives, for a block of workflow code or for a workflow. */
public final class RetryAtCallSite implements RetryOptionsBuilder {
    private final OptionsAtCallSite site = new OptionsAtCallSite();
    private @Nullable Duration within;
    private @Nullable RetryIf retryIf;

    /**
     * Returns the policy with the options that were set here put over it.
     *
     * @throws IllegalArgumentException when both do not fit together
     */
    public RetryPolicy over(RetryPolicy base) {
        return site.apply(ActivityOptions.DEFAULT.withRetry(base)).retry();
    }

    /** Returns the time limit; null where none was set. */
    public @Nullable Duration within() {
        return within;
    }

    /** Returns the question after a failed attempt; null where none was set. */
    public @Nullable RetryIf retryIf() {
        return retryIf;
    }

    @Override
    public RetryAtCallSite policy(RetryPolicy policy) {
        site.retry(policy);
        return this;
    }

    @Override
    public RetryAtCallSite maxAttempts(int maxAttempts) {
        site.maxAttempts(maxAttempts);
        return this;
    }

    @Override
    public RetryAtCallSite within(Duration limit) {
        within = WaitBounds.real("within", limit, "no attempt would be in time");
        return this;
    }

    @Override
    public RetryAtCallSite initialInterval(Duration interval) {
        site.initialInterval(interval);
        return this;
    }

    @Override
    public RetryAtCallSite backoff(double coefficient) {
        site.backoff(coefficient);
        return this;
    }

    @Override
    public RetryAtCallSite growth(RetryPolicy.Growth growth) {
        site.growth(growth);
        return this;
    }

    @Override
    public RetryAtCallSite maxInterval(Duration interval) {
        site.maxInterval(interval);
        return this;
    }

    @Override
    public RetryAtCallSite jitter(double jitter) {
        site.jitter(jitter);
        return this;
    }

    @Override
    public RetryAtCallSite doNotRetry(Class<? extends Throwable> type) {
        site.doNotRetry(type);
        return this;
    }

    @Override
    public RetryAtCallSite retryIf(RetryIf question) {
        retryIf = question;
        return this;
    }
}
