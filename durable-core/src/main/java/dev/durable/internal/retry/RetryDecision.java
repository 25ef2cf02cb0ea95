package dev.durable.internal.retry;

import dev.durable.DeferException;
import dev.durable.NonRetryableException;
import dev.durable.RetryAfterException;
import dev.durable.RetryIf;
import dev.durable.RetryPolicy;
import dev.durable.RetryableException;
import dev.durable.internal.drive.Jitter;
import dev.durable.internal.text.Thrown;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides by the retry policy alone whether a failed attempt, of an activity or of a block of workflow code, is
 * followed by another, and when. It is a function of the
 * failure, the policy and the time left; the first row that matches decides:
 *
 * <pre>
 *   DeferException ──► Defer                          NonRetryableException, doNotRetry ──► GiveUp
 *   last attempt, by RetryableException or else by the policy; retryIf says no ──► Exhausted
 *   next attempt would start past schedule-to-close ──► OutOfTime
 *   else ──► Retry, after RetryableException's, RetryAfterException's or the policy's delay
 * </pre>
 *
 * Each type is looked for in the class hierarchy of what was thrown and of all its causes, the outermost first: bodies
 * wrap exceptions, and executors do it for them.
 */
public sealed interface RetryDecision {
    /** The job is given back without an attempt used. */
    record Defer(Duration delay) implements RetryDecision {}

    /**
     * Another attempt follows.
     *
     * @param maxAttempts the limit of attempts that the failure set; null leaves the policy's
     */
    record Retry(Duration delay, @Nullable Integer maxAttempts) implements RetryDecision {}

    /**
     * The activity failed for good with a non-retryable failure, which goes to the workflow's code.
     *
     * @param named whether the policy names the failure
     */
    record GiveUp(boolean named) implements RetryDecision {}

    record Exhausted() implements RetryDecision {}

    /** The policy allows another attempt, but schedule-to-close would pass before it. */
    record OutOfTime() implements RetryDecision {}

    /**
     * The state of an attempt on which the decision depends.
     *
     * @param policy its policy
     * @param attempt its number
     * @param left what is left of schedule-to-close; null is no bound
     * @param retryIf the predicate that the policy names; one that is always true if it names none
     */
    record Standing(
            RetryPolicy policy, int attempt, @Nullable Duration left, RetryIf retryIf) {

        public Standing(RetryPolicy policy, int attempt, @Nullable Duration left) {
            this(policy, attempt, left, (failure, number) -> true);
        }
    }

    static RetryDecision of(Throwable thrown, Standing standing, RandomGenerator random) {
        Optional<Duration> deferred = inChain(thrown, DeferException.class).map(defer -> said(defer, defer::delay));
        if (deferred.isPresent()) {
            return new Defer(Jitter.bounded(deferred.get()));
        }
        RetryPolicy policy = standing.policy();
        boolean named = isNamed(thrown, policy);
        if (named || inChain(thrown, NonRetryableException.class).isPresent()) {
            return new GiveUp(named);
        }
        Optional<RetryableException> told = inChain(thrown, RetryableException.class);
        OptionalInt remaining =
                told.map(each -> said(each, each::remainingAttempts)).orElse(OptionalInt.empty());
        boolean allowed = remaining.isPresent() ? remaining.getAsInt() > 0 : policy.allowsAfter(standing.attempt());
        if (!allowed || !standing.retryIf().retry(thrown, standing.attempt())) {
            return new Exhausted();
        }
        Duration delay = told.map(each -> said(each, each::nextDelay))
                .flatMap(Function.identity())
                .or(() -> inChain(thrown, RetryAfterException.class).map(each -> said(each, each::delay)))
                .map(Jitter::bounded)
                .orElseGet(() -> delay(policy, standing.attempt(), random));
        Duration left = standing.left();
        return left != null && delay.compareTo(left) >= 0
                ? new OutOfTime()
                : new Retry(delay, limit(standing.attempt(), remaining));
    }

    /** Returns the policy's delay after this attempt, with its jitter. */
    static Duration delay(RetryPolicy policy, int attempt, RandomGenerator random) {
        return Jitter.spread(policy.delayAfter(attempt), policy.jitter(), random);
    }

    /**
     * Returns the answer of an exception's getter, or null where the getter throws: a subclass of the application may
     * override it, and then the policy alone decides.
     */
    private static <T> @Nullable T said(Throwable by, Supplier<@Nullable T> advice) {
        return Thrown.of(by).<@Nullable T>read("its advice", advice, null);
    }

    private static @Nullable Integer limit(int attempt, OptionalInt remaining) {
        return remaining.isEmpty() ? null : (int) Math.min(Integer.MAX_VALUE, (long) attempt + remaining.getAsInt());
    }

    private static boolean isNamed(Throwable thrown, RetryPolicy policy) {
        return causes(thrown)
                .flatMap(cause -> Stream.<Class<?>>iterate(cause.getClass(), Objects::nonNull, Class::getSuperclass))
                .anyMatch(type -> policy.doNotRetry().contains(type.getName()));
    }

    private static <T extends Throwable> Optional<T> inChain(Throwable thrown, Class<T> type) {
        return causes(thrown).filter(type::isInstance).map(type::cast).findFirst();
    }

    private static Stream<Throwable> causes(Throwable thrown) {
        return Thrown.of(thrown).chain();
    }
}
