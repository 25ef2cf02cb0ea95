package dev.durable.internal.replay.call;

import dev.durable.OnExhausted;
import dev.durable.RetryIf;
import dev.durable.RetryOptionsBuilder;
import dev.durable.RetryPolicy;
import dev.durable.UsageException;
import dev.durable.internal.declare.RetryAtCallSite;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The options of one {@code Durable.retry} or {@code Durable.poll}.
 *
 * @param within the time limit, counted from the call; null is none
 * @param retryIf the question after a failed attempt; null asks none
 */
record BlockPolicy(
        RetryPolicy policy,
        @Nullable Duration within,
        @Nullable RetryIf retryIf) {

    /** Reads the options of {@code Durable.retry}. */
    static BlockPolicy ofRetry(Consumer<RetryOptionsBuilder> options) {
        return read("Durable.retry", options);
    }

    /** Reads the options of {@code Durable.poll}, which retries no failures. */
    static BlockPolicy ofPoll(Consumer<RetryOptionsBuilder> options) {
        BlockPolicy read = read("Durable.poll", options);
        if (read.retryIf != null || !read.policy.doNotRetry().isEmpty()) {
            throw new UsageException(
                    "Durable.poll has doNotRetry or retryIf, and it retries no failure: one of its call"
                            + " is thrown at once. Leave them out; let the activity's own policy retry, or put the call into"
                            + " Durable.retry.");
        }
        return read;
    }

    private static BlockPolicy read(String call, Consumer<RetryOptionsBuilder> options) {
        RetryAtCallSite said = new RetryAtCallSite();
        try {
            options.accept(said);
            BlockPolicy read = new BlockPolicy(said.over(RetryPolicy.DEFAULT), said.within(), said.retryIf());
            read.check();
            return read;
        } catch (IllegalArgumentException e) {
            throw new UsageException(call + ": " + e.getMessage(), e);
        }
    }

    /** Refuses attributes of a policy that only an activity, with a job and workers, can have. */
    private void check() {
        if (policy.retryIf() != null) {
            throw new IllegalArgumentException("the policy names the class " + policy.retryIf()
                    + " as its retryIf, which workers ask after an attempt of an activity. Take a policy without it, and"
                    + " o -> o.retryIf((failure, attempt) -> …), which workflow code asks.");
        }
        if (isForJobs(policy.onExhausted())) {
            throw new IllegalArgumentException("the policy has onExhausted " + policy.onExhausted()
                    + ", and a block of workflow code has no job that could wait for an operator: its last failure is"
                    + " thrown. Take a policy with onExhausted FAIL, or set it on the activity that the block calls.");
        }
    }

    private static boolean isForJobs(OnExhausted end) {
        return switch (end) {
            case FAIL -> false;
            case INCIDENT, DEAD_LETTER, DISCARD -> true;
        };
    }

    /** Returns what is left of the time limit; null without one. */
    @Nullable
    Duration left(Instant begun, Instant now) {
        return within == null ? null : within.minus(Duration.between(begun, now));
    }

    /** Copies the options with another limit of attempts. */
    BlockPolicy withMaxAttempts(int attempts) {
        return new BlockPolicy(policy.withMaxAttempts(attempts), within, retryIf);
    }
}
