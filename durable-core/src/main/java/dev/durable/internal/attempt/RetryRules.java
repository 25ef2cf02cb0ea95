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
import dev.durable.internal.retry.RetryDecision;
import dev.durable.internal.text.Thrown;
import dev.durable.store.JobUpdate;
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
 * {@link OnExhausted} says what follows when the attempts are exhausted. A background job has no workflow code that
 * could handle a failure: where a workflow would get the failure, its attempts count as exhausted. An activity that
 * begins at most once has no second attempt. A cancelled activity is never retried, as its workflow wants no result any
 * more; one that falls silent ends as cancelled, whether its timeout or the death of its worker is noticed first.
 *
 * @param of the attempt
 * @param terms the options and the time that hold for the attempt now
 * @param code finds the exceptions and the classes that the activity names
 * @param random spreads delays
 */
record RetryRules(Of of, Terms terms, AttemptServices.Code code, RandomGenerator random) {

    /**
     * The attempt on which is decided.
     *
     * @param activity its name
     * @param seq its number in the run
     * @param attempt the attempt
     * @param background whether it is a background job, for which no code waits
     * @param hands the place of the attempt, for messages; empty for this process
     */
    record Of(String activity, int seq, int attempt, boolean background, String hands) {}

    /**
     * The options and the time that hold for the attempt now; orders change them.
     *
     * @param options its options
     * @param json the options as the store has them
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
     * Returns the options for the attempts that follow, where those of this attempt were merged from the options chosen
     * for a background job and the configuration of this process; null where they stand in the row already.
     */
    static JobUpdate.@Nullable NewOptions settled(ActivityOptions options, String json) {
        return EnqueuedOptions.of(json).isEmpty() ? null : new JobUpdate.NewOptions(OptionsJson.encode(options), json);
    }

    /** Decides after the body has thrown, or the token's holder has reported a failure. */
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

    /** Decides after the body returned a value that can't be written as JSON. */
    AttemptResult cannotCross(Throwable why, boolean cancelled) {
        Failure failure = encoded(why);
        return cancelled ? new AttemptResult.Failed(failure) : exhausted(Notes.FAILED, failure, false);
    }

    /** Decides after the attempt ran out of a timeout, or had before it began. */
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
     * Decides on a body that may have run and must not run twice: the failure goes to the workflow; a background job
     * stays as an incident or a dead letter, if its options allow it.
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

    /** Returns the timeout in words, for the failure and the log. */
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

    /** Decides by {@link OnExhausted} after the last attempt. */
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

    /** Returns the predicate that the options name now, else the engine's. */
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

    /** Returns whether the exception says that the cancelled body has stopped, or gives the job back. */
    private static boolean saysSo(Throwable thrown) {
        return Thrown.of(thrown)
                .chain()
                .anyMatch(cause -> cause instanceof CancelledException
                        || cause instanceof InterruptedException
                        || cause instanceof DeferException);
    }
}
