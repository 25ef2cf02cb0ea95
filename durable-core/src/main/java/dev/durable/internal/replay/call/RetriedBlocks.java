package dev.durable.internal.replay.call;

import dev.durable.CancelledException;
import dev.durable.NonRetryableException;
import dev.durable.RemoteException;
import dev.durable.RetryIf;
import dev.durable.RetryOptionsBuilder;
import dev.durable.RetryPolicy;
import dev.durable.ShieldedBody;
import dev.durable.WaitTimedOutException;
import dev.durable.internal.replay.coroutine.Coroutine;
import dev.durable.internal.retry.RetryDecision;
import dev.durable.internal.text.Thrown;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Implements {@code Durable.retry} and {@code Durable.poll}: blocks of workflow code that are run again, on the
 * coroutine that calls, with durable timers between. {@link RetryDecision} decides after a failed attempt, as it does
 * for activities.
 */
public final class RetriedBlocks {
    private static final Logger log = LoggerFactory.getLogger(RetriedBlocks.class);

    /** The most characters of a last value that stand in the text of an exception. */
    private static final int SHOWN = 100;

    private RetriedBlocks() {}

    // ── retry ───────────────────────────────────────────────────────────────────────────────────────────────────────

    public static <T extends @Nullable Object, X extends Exception> T retry(
            Consumer<RetryOptionsBuilder> options, ShieldedBody<T, X> body) throws X {
        DurableCalls run = DurableCalls.current("Durable.retry");
        run.restrictions().check("Durable.retry");
        BlockPolicy policy = BlockPolicy.ofRetry(options);
        Instant begun = run.now();
        int attempt = 1;
        while (true) {
            try {
                return body.run();
            } catch (Exception failure) {
                RetryDecision decision = decision(run, policy, attempt, begun, failure);
                switch (decision) {
                    case RetryDecision.Retry again -> {
                        logRetry(run, attempt, again.delay(), failure);
                        Integer limit = again.maxAttempts();
                        policy = limit == null ? policy : policy.withMaxAttempts(limit);
                        attempt++;
                        run.waiting().sleep("Durable.retry", again.delay());
                    }
                    case RetryDecision.Defer later -> run.waiting().sleep("Durable.retry", later.delay());
                    case RetryDecision.GiveUp ignored -> throw failure;
                    case RetryDecision.Exhausted ignored -> throw failure;
                    case RetryDecision.OutOfTime ignored -> throw failure;
                }
            }
        }
    }

    private static RetryDecision decision(
            DurableCalls run, BlockPolicy policy, int attempt, Instant begun, Exception failure) {
        Coroutine self = run.dispatcher().running();
        if (failure instanceof CancelledException || self.refusal() != null || StallRules.isMisuse(failure)) {
            return new RetryDecision.GiveUp(false);
        }
        if (isNamed(failure, policy.policy())) {
            return new RetryDecision.GiveUp(true);
        }
        Duration left = policy.left(begun, run.now());
        RetryIf question = policy.retryIf();
        RetryDecision.Standing standing = question == null
                ? new RetryDecision.Standing(policy.policy(), attempt, left)
                : new RetryDecision.Standing(policy.policy(), attempt, left, question);
        return RetryDecision.of(failure, standing, spread(run));
    }

    /**
     * Returns whether an exception of an activity or a child, which has come here as data, ends the retries by the name
     * of its class or of a superclass.
     */
    static boolean isNamed(Throwable failure, RetryPolicy policy) {
        return Thrown.of(failure)
                .chain()
                .filter(RemoteException.class::isInstance)
                .map(RemoteException.class::cast)
                .flatMap(remote -> Stream.concat(Stream.of(remote.type()), remote.superclasses().stream()))
                .anyMatch(type -> type.equals(NonRetryableException.class.getName())
                        || policy.doNotRetry().contains(type));
    }

    private static void logRetry(DurableCalls run, int attempt, Duration delay, Exception failure) {
        String type = failure.getClass().getName();
        run.turnLog()
                .add(() -> log.info("attempt {} of Durable.retry failed by {}; the next in {}", attempt, type, delay));
    }

    // ── poll ────────────────────────────────────────────────────────────────────────────────────────────────────────

    public static <T extends @Nullable Object, X extends Exception> T poll(
            Consumer<RetryOptionsBuilder> options, ShieldedBody<T, X> call, Predicate<? super T> done) throws X {
        DurableCalls run = DurableCalls.current("Durable.poll");
        run.restrictions().check("Durable.poll");
        BlockPolicy policy = BlockPolicy.ofPoll(options);
        Instant begun = run.now();
        for (int attempt = 1; ; attempt++) {
            T value = call.run();
            if (done.test(value)) {
                return value;
            }
            Duration left = policy.left(begun, run.now());
            boolean late = left != null && WaitCalls.isNoWait(left);
            if (late || !policy.policy().allowsAfter(attempt)) {
                throw new WaitTimedOutException("Durable.poll gave up after " + attempt
                        + (attempt == 1 ? " call in " : " calls in ") + Duration.between(begun, run.now()) + ", as "
                        + (late
                                ? "its time limit is " + policy.within()
                                : "maxAttempts is " + policy.policy().maxAttempts())
                        + ". The last value was " + shown(value) + ", which the condition did not accept.");
            }
            Duration delay = RetryDecision.delay(policy.policy(), attempt, spread(run));
            run.waiting().sleep("Durable.poll", left != null && left.compareTo(delay) < 0 ? left : delay);
        }
    }

    /** Returns the value as text, if that is short; its class otherwise. */
    private static String shown(@Nullable Object value) {
        if (value == null) {
            return "null";
        }
        String type = "a " + value.getClass().getName();
        try {
            String text = value.toString();
            return text == null || text.length() > SHOWN ? type : text;
        } catch (RuntimeException e) {
            return type;
        }
    }

    /**
     * Returns a generator for the spread of a wait. Its draw depends on the coroutine and the number of timers so far,
     * and does not shift the draws of the code, so that a policy may change while runs are open. No coroutine has a
     * negative number.
     */
    private static RandomGenerator spread(DurableCalls run) {
        int self = run.dispatcher().running().number;
        return () -> run.draws().bits(~self, run.work().timers());
    }
}
