package dev.durable.worker;

import dev.durable.DeferException;
import dev.durable.NonRetryableException;
import dev.durable.RetryAfterException;
import dev.durable.RetryPolicy;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What follows from a failed attempt. A function of the failure, the policy and the time left; in this order:
 *
 * <pre>
 *   DeferException ──► Defer          NonRetryableException, doNotRetry, last attempt ──► GiveUp
 *   next attempt would start past schedule-to-close ──► OutOfTime          else ──► Retry, after RetryAfter's or the policy's delay
 * </pre>
 *
 * Each type is looked for in the class hierarchy of what was thrown and of all its causes, the outermost first: bodies
 * wrap exceptions, and executors do it for them.
 */
sealed interface Verdict {
    /** Given back without an attempt used. */
    record Defer(Duration delay) implements Verdict {}

    /** Another attempt follows. */
    record Retry(Duration delay) implements Verdict {}

    /** It failed for good. */
    record GiveUp() implements Verdict {}

    /** The policy would try again, but schedule-to-close leaves no room. */
    record OutOfTime() implements Verdict {}

    /** Where an attempt stands: its policy, its number, and what is left of schedule-to-close; null is no bound. */
    record Standing(
            RetryPolicy policy, int attempt, @Nullable Duration left) {}

    static Verdict of(Throwable thrown, Standing standing, RandomGenerator random) {
        Optional<Duration> deferred = inChain(thrown, DeferException.class).map(DeferException::delay);
        if (deferred.isPresent()) {
            return new Defer(Jitter.bounded(deferred.get()));
        }
        RetryPolicy policy = standing.policy();
        if (!policy.allowsAfter(standing.attempt())
                || inChain(thrown, NonRetryableException.class).isPresent()
                || isNamed(thrown, policy)) {
            return new GiveUp();
        }
        Duration delay = inChain(thrown, RetryAfterException.class)
                .map(asked -> Jitter.bounded(asked.delay()))
                .orElseGet(() -> Jitter.spread(policy.delayAfter(standing.attempt()), policy.jitter(), random));
        Duration left = standing.left();
        return left != null && delay.compareTo(left) >= 0 ? new OutOfTime() : new Retry(delay);
    }

    private static boolean isNamed(Throwable thrown, RetryPolicy policy) {
        return causes(thrown)
                .flatMap(cause -> Stream.<Class<?>>iterate(cause.getClass(), Objects::nonNull, Class::getSuperclass))
                .anyMatch(type -> policy.doNotRetry().contains(type.getName()));
    }

    private static <T extends Throwable> Optional<T> inChain(Throwable thrown, Class<T> type) {
        return causes(thrown).filter(type::isInstance).map(type::cast).findFirst();
    }

    /** Bounded, as a cause may lead back to itself. */
    private static Stream<Throwable> causes(Throwable thrown) {
        return Stream.iterate(thrown, Objects::nonNull, Throwable::getCause).limit(100);
    }
}
