package dev.durable.internal.attempt;

import dev.durable.ActivityOptions;
import dev.durable.ActivityTimedOutException;
import dev.durable.CancelledException;
import dev.durable.DeferException;
import dev.durable.OnExhausted;
import dev.durable.RetryIf;
import dev.durable.history.EnqueuedOptions;
import dev.durable.history.Failure;
import dev.durable.history.OptionsJson;
import dev.durable.history.TimeoutType;
import dev.durable.internal.declare.ActivityBinding;
import dev.durable.store.JobUpdate;
import dev.durable.store.Thrown;
import java.time.Duration;
import java.util.Locale;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a failed attempt leads to (another attempt, a failure, a cancellation, an incident or a dead letter) by
 * the options that hold when it failed.
 *
 * <pre>
 *                     not cancelled           cancel requested
 *   threw             by verdict              cancelled, if it says so; failed
 *   can't cross       exhausted               failed
 *   timed out         by verdict              cancelled, and the history notes the timeout
 * </pre>
 *
 * Exhausted is what {@link OnExhausted} says. A background job has no code that could hear an answer: what would be one to
 * a workflow is exhaustion to it. An activity that begins at most once has no other attempt to give. A cancelled one is
 * never retried: nobody wants it any more. That a cancelled one which falls silent ends as cancelled does not depend on
 * what is noticed first, its timeout or the death of its worker.
 *
 * @param of whose attempt
 * @param terms what holds for it now
 * @param code where its exceptions and the classes it names are found
 * @param random spreads delays
 */
record RetryRules(Of of, Terms terms, AttemptServices.Code code, RandomGenerator random) {

    /**
     * Whose attempt.
     *
     * @param activity its name
     * @param seq its number in the run
     * @param attempt the attempt
     * @param background whether it is a background job, for which no code waits
     * @param hands where the attempt is, for messages; empty for here
     */
    record Of(String activity, int seq, int attempt, boolean background, String hands) {}

    /**
     * What holds now; orders change it.
     *
     * @param options its options
     * @param json the same as the store has them
     * @param left what is left of schedule-to-close; null is no bound
     */
    record Terms(
            ActivityOptions options, String json, @Nullable Duration left) {
        @Override
        public String toString() {
            return "Terms[" + options + ", left=" + left + "]";
        }
    }

    /**
     * What holds for the attempts that follow, where what held for this one was put together from what was chosen for a
     * background job and the configuration of this process; null where it stands in the row already.
     */
    static JobUpdate.@Nullable NewOptions settled(ActivityOptions options, String json) {
        return EnqueuedOptions.of(json).isEmpty() ? null : new JobUpdate.NewOptions(OptionsJson.encode(options), json);
    }

    /** Its body has thrown, or its token's holder has reported a failure. */
    AttemptResult threw(Throwable thrown, boolean cancelled) {
        if (cancelled) {
            return saysSo(thrown) ? new AttemptResult.Cancelled() : failed(thrown, false);
        }
        return switch (verdict(thrown)) {
            case RetryDecision.Defer defer -> new AttemptResult.GivenBack(defer.delay());
            case RetryDecision.Retry retry -> again(Notes.FAILED, encoded(thrown), retry);
            case RetryDecision.OutOfTime ignored -> new AttemptResult.OutOfTime(Notes.FAILED, encoded(thrown));
            case RetryDecision.Exhausted ignored -> exhausted(thrown, false);
            case RetryDecision.GiveUp giveUp when of.background() -> exhausted(thrown, giveUp.named());
            case RetryDecision.GiveUp giveUp -> failed(thrown, giveUp.named());
        };
    }

    /** It returned a value that can't be written as JSON. */
    AttemptResult cannotCross(Throwable why, boolean cancelled) {
        Failure failure = encoded(why);
        return cancelled ? new AttemptResult.Failed(failure) : exhausted(Notes.FAILED, failure, false);
    }

    /** It ran out of a timeout, or had before it began. */
    AttemptResult timedOut(TimeoutType timeout, boolean cancelled) {
        boolean ofAttempt =
                switch (timeout) {
                    case START_TO_CLOSE, HEARTBEAT -> true;
                    case SCHEDULE_TO_START, SCHEDULE_TO_CLOSE, EXPIRY -> false;
                };
        String what = describe(timeout);
        Failure failure = Failure.of(ActivityTimedOutException.class.getName(), what);
        if (cancelled) {
            return new AttemptResult.CancelledLate(failure);
        }
        if (!ofAttempt) {
            return new AttemptResult.TimedOut(timeout);
        }
        Throwable thrown = new ActivityTimedOutException(what, of.activity(), of.seq(), of.attempt(), timeout, null);
        return switch (verdict(thrown)) {
            case RetryDecision.Retry retry -> again(Notes.TIMED_OUT, failure, retry);
            case RetryDecision.OutOfTime ignored -> new AttemptResult.OutOfTime(Notes.TIMED_OUT, failure);
            case RetryDecision.Exhausted ignored -> timedOut(timeout, failure, stays());
            case RetryDecision.GiveUp ignored -> timedOut(timeout, failure, stays() && of.background());
            case RetryDecision.Defer ignored -> new AttemptResult.TimedOut(timeout);
        };
    }

    private AttemptResult timedOut(TimeoutType timeout, Failure failure, boolean stays) {
        return stays ? exhausted(Notes.TIMED_OUT, failure, false) : new AttemptResult.TimedOut(timeout);
    }

    /**
     * It may have run and must not run twice: an answer to a workflow; a background job stays as a dead letter, if its
     * options allow it.
     */
    AttemptResult lost(Failure unknown) {
        boolean waitsForOperator =
                switch (terms.options().retry().onExhausted()) {
                    case INCIDENT, DEAD_LETTER -> true;
                    case FAIL, DISCARD -> false;
                };
        return of.background() && waitsForOperator
                ? exhausted(Notes.WORKER_LOST, unknown, false)
                : new AttemptResult.Failed(unknown);
    }

    /** A timeout, in words. */
    String describe(TimeoutType timeout) {
        ActivityOptions options = terms.options();
        Object limit =
                switch (timeout) {
                    case START_TO_CLOSE -> options.startToClose();
                    case SCHEDULE_TO_START -> options.scheduleToStart();
                    case SCHEDULE_TO_CLOSE -> options.scheduleToClose();
                    case HEARTBEAT -> options.heartbeatTimeout();
                    case EXPIRY -> options.expiresAt();
                };
        return "attempt " + of.attempt() + " of " + of.activity() + of.hands() + " ran out of "
                + timeout.name().toLowerCase(Locale.ROOT).replace('_', '-') + " (" + limit + ")";
    }

    private boolean stays() {
        return switch (terms.options().retry().onExhausted()) {
            case INCIDENT, DEAD_LETTER, DISCARD -> true;
            case FAIL -> false;
        };
    }

    /** @param named whether the policy names the failure */
    private AttemptResult failed(Throwable thrown, boolean named) {
        Failure failure = encoded(thrown);
        return new AttemptResult.Failed(failure, named || code.declares(of.activity(), failure));
    }

    private AttemptResult exhausted(Throwable thrown, boolean named) {
        Failure failure = encoded(thrown);
        return exhausted(Notes.FAILED, failure, named || code.declares(of.activity(), failure));
    }

    /** Nothing is left to try. */
    private AttemptResult exhausted(String reason, Failure failure, boolean declared) {
        return switch (terms.options().retry().onExhausted()) {
            case FAIL -> new AttemptResult.Failed(failure, declared);
            case INCIDENT -> new AttemptResult.Buried(true, reason, failure);
            case DEAD_LETTER -> new AttemptResult.Buried(false, reason, failure);
            case DISCARD -> new AttemptResult.Discarded(failure, declared);
        };
    }

    private AttemptResult again(String reason, Failure failure, RetryDecision.Retry retry) {
        Integer limit = retry.maxAttempts();
        if (limit == null) {
            return new AttemptResult.Again(reason, failure, retry.delay(), null);
        }
        ActivityOptions changed =
                terms.options().withRetry(terms.options().retry().withMaxAttempts(limit));
        return new AttemptResult.Again(
                reason,
                failure,
                retry.delay(),
                new AttemptResult.Again.Limited(
                        limit - of.attempt(), new JobUpdate.NewOptions(OptionsJson.encode(changed), terms.json())));
    }

    private RetryDecision verdict(Throwable thrown) {
        RetryDecision verdict = RetryDecision.of(
                thrown,
                new RetryDecision.Standing(terms.options().retry(), of.attempt(), terms.left(), retryIf()),
                random);
        return verdict instanceof RetryDecision.Retry && terms.options().atMostOnce()
                ? new RetryDecision.Exhausted()
                : verdict;
    }

    /** As the options name it now, else the engine's. */
    private RetryIf retryIf() {
        if (terms.options().retry().retryIf() == null) {
            return code.retryIf();
        }
        ClassLoader loader =
                code.bindings().apply(of.activity()).map(RetryRules::classes).orElse(null);
        return NamedRetryIf.of(terms.options().retry(), loader, code.failures()::loggable);
    }

    private Failure encoded(Throwable thrown) {
        return code.failure(of.activity(), thrown);
    }

    private static @Nullable ClassLoader classes(ActivityBinding binding) {
        return binding.activity().spec().method().getDeclaringClass().getClassLoader();
    }

    /** Gives itself back, or says that it stopped. */
    private static boolean saysSo(Throwable thrown) {
        return Thrown.of(thrown)
                .chain()
                .anyMatch(cause -> cause instanceof CancelledException
                        || cause instanceof InterruptedException
                        || cause instanceof DeferException);
    }
}
