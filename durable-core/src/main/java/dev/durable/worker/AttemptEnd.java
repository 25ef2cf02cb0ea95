package dev.durable.worker;

import dev.durable.ActivityOptions;
import dev.durable.ActivityTimedOutException;
import dev.durable.CancelledException;
import dev.durable.OnExhausted;
import dev.durable.OutcomeUnknownException;
import dev.durable.RetryIf;
import dev.durable.declare.MethodSpec;
import dev.durable.history.Failure;
import dev.durable.history.OptionsJson;
import dev.durable.history.TimeoutType;
import dev.durable.replay.BackgroundJob;
import dev.durable.store.AtMostOnce;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobUpdate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides what the end of an attempt means for its activity, and tells.
 *
 * <pre>
 *                     not cancelled           cancel requested                    shutting down
 *   returned          completed               completed                           completed
 *   threw             by verdict              cancelled, if it says so; failed    released
 *   can't cross       exhausted               failed                              exhausted
 *   timed out         by verdict              timed out                           by verdict
 * </pre>
 *
 * Exhausted is what {@link dev.durable.OnExhausted} says. A background job has no code that could hear an answer: what
 * would be one to a workflow is exhaustion to it.
 *
 * A cancelled activity is never retried: nobody waits for it.
 */
final class AttemptEnd {
    private final ClaimedJob job;
    private volatile ActivityOptions options;
    private volatile @Nullable Instant scheduleToClose;
    private final AttemptReport report;
    private final ActivityHost host;
    private final Collection<Class<? extends Throwable>> named;
    private final RetryIf retryIf;

    /**
     * @param activity what ran: its exceptions that come back as themselves, and whose classes retryIf is found with
     */
    AttemptEnd(ClaimedJob job, ActivityOptions options, AttemptReport report, ActivityHost host, MethodSpec activity) {
        this.job = job;
        this.options = options;
        this.scheduleToClose = job.scheduleToCloseDeadline();
        this.report = report;
        this.host = host;
        this.named = activity.named();
        this.retryIf = NamedRetryIf.of(
                options.retry(), activity.method().getDeclaringClass().getClassLoader());
    }

    /** From the next decision on. */
    void decideBy(ActivityOptions changed, @Nullable Instant close) {
        options = changed;
        scheduleToClose = close;
    }

    /** The body returned; whoever has its token ends the attempt. */
    void leftToOthers(Duration left, @Nullable String details, int revision) {
        report.detach(left, options.heartbeatTimeout(), details, revision);
    }

    /** The body ended. */
    void ended(ActivityCall.Ended how, Instant startedAt, Cancellation.Cause cause, @Nullable String details) {
        switch (how) {
            case ActivityCall.Returned returned -> report.completed(returned.result(), startedAt);
            case ActivityCall.CanNotCross refused -> cannotCross(encoded(refused.why()), cause);
            case ActivityCall.Threw threw -> threw(threw.thrown(), cause, details);
        }
    }

    /** What settles it, where the body's own transaction does. */
    JobUpdate.Settle settlement(ActivityCall.Returned returned, Instant startedAt) {
        return report.settlement(returned.result(), startedAt);
    }

    /** It never ran its body. */
    void cancelledBeforeItBegan() {
        report.cancelled(null);
    }

    /** It ran out of a timeout, or had before it began. */
    void timedOut(TimeoutType timeout, Cancellation.Cause cause, @Nullable String details) {
        Failure failure = Failure.of(ActivityTimedOutException.class.getName(), describe(timeout));
        boolean ofAttempt = timeout == TimeoutType.START_TO_CLOSE || timeout == TimeoutType.HEARTBEAT;
        boolean cancelled = cause == Cancellation.Cause.REQUESTED;
        switch (ofAttempt ? verdict(exception(timeout, failure)) : new Verdict.GiveUp()) {
            case Verdict.Retry retry
            when !cancelled -> report.retry(Notes.TIMED_OUT, failure, retry, options(retry), details);
            case Verdict.OutOfTime ignored -> report.outOfTime(Notes.TIMED_OUT, failure, details);
            case Verdict.Exhausted ignored when !cancelled && stays() -> exhausted(Notes.TIMED_OUT, failure, details);
            default -> report.timedOut(timeout, details);
        }
    }

    private void cannotCross(Failure failure, Cancellation.Cause cause) {
        if (cause == Cancellation.Cause.REQUESTED) {
            report.failed(failure);
        } else {
            exhausted(Notes.FAILED, failure, null);
        }
    }

    /** Nothing is left to try. */
    private void exhausted(String reason, Failure failure, @Nullable String details) {
        switch (options.retry().onExhausted()) {
            case FAIL -> report.failed(failure);
            case INCIDENT -> report.buried(true, reason, failure, details);
            case DEAD_LETTER -> report.buried(false, reason, failure, details);
            case DISCARD -> report.discarded(failure);
        }
    }

    private boolean stays() {
        return options.retry().onExhausted() != OnExhausted.FAIL;
    }

    /** As the failure changed them; null as they are. */
    private @Nullable String options(Verdict.Retry retry) {
        Integer limit = retry.maxAttempts();
        return limit == null
                ? null
                : OptionsJson.encode(options.withRetry(options.retry().withMaxAttempts(limit)));
    }

    /** Given back as it is. */
    void released(Duration delay, @Nullable String details) {
        report.release(delay, details);
    }

    /** Its worker gives it up, and its body may have run: given back, if it may run again. */
    void abandoned(@Nullable String details) {
        if (options.atMostOnce()) {
            report.failed(Failure.of(OutcomeUnknownException.class.getName(), AtMostOnce.why(job.attempt())));
        } else {
            released(Duration.ZERO, details);
        }
    }

    /** A timeout, in words. */
    String describe(TimeoutType timeout) {
        Duration limit =
                switch (timeout) {
                    case START_TO_CLOSE -> options.startToClose();
                    case SCHEDULE_TO_START -> options.scheduleToStart();
                    case SCHEDULE_TO_CLOSE -> options.scheduleToClose();
                    case HEARTBEAT -> options.heartbeatTimeout();
                };
        return "attempt " + job.attempt() + " of " + job.activity() + " ran out of "
                + timeout.name().toLowerCase(Locale.ROOT).replace('_', '-') + " (" + limit + ")";
    }

    private void threw(Throwable thrown, Cancellation.Cause cause, @Nullable String details) {
        boolean cancelled = cause == Cancellation.Cause.REQUESTED;
        if (cause == Cancellation.Cause.SHUTDOWN && !options.atMostOnce()) {
            released(Duration.ZERO, details);
        } else if (cancelled && saysSo(thrown)) {
            report.cancelled(details);
        } else {
            threw(thrown, verdict(thrown), cancelled, details);
        }
    }

    private void threw(Throwable thrown, Verdict verdict, boolean cancelled, @Nullable String details) {
        switch (verdict) {
            case Verdict.Defer defer -> deferred(defer.delay(), cancelled, details);
            case Verdict.OutOfTime ignored -> report.outOfTime(Notes.FAILED, encoded(thrown), details);
            case Verdict.Retry retry
            when !cancelled -> report.retry(Notes.FAILED, encoded(thrown), retry, options(retry), details);
            case Verdict.Exhausted ignored when !cancelled -> exhausted(Notes.FAILED, encoded(thrown), details);
            case Verdict.GiveUp ignored
            when !cancelled && job.workflowType().equals(BackgroundJob.TYPE) ->
                exhausted(Notes.FAILED, encoded(thrown), details);
            default -> report.failed(encoded(thrown));
        }
    }

    private void deferred(Duration delay, boolean cancelled, @Nullable String details) {
        if (cancelled) {
            report.cancelled(details);
        } else {
            released(delay, details);
        }
    }

    private Verdict verdict(Throwable thrown) {
        Instant end = scheduleToClose;
        Duration left =
                end == null ? null : Duration.between(host.deadlines().clock().now(), end);
        return once(Verdict.of(
                thrown,
                new Verdict.Standing(options.retry(), job.attempt(), left, retryIf),
                host.surroundings().random()));
    }

    /** A failure may ask for another attempt; one that is begun at most once has none to give. */
    private Verdict once(Verdict verdict) {
        return verdict instanceof Verdict.Retry && options.atMostOnce() ? new Verdict.Exhausted() : verdict;
    }

    private ActivityTimedOutException exception(TimeoutType timeout, Failure failure) {
        return new ActivityTimedOutException(
                String.valueOf(failure.message()), job.activity(), job.key().seq(), job.attempt(), timeout, null);
    }

    private Failure encoded(Throwable thrown) {
        return host.code().failures().encode(thrown, named);
    }

    private static boolean saysSo(Throwable thrown) {
        return Stream.iterate(thrown, Objects::nonNull, Throwable::getCause)
                .limit(100)
                .anyMatch(cause -> cause instanceof CancelledException || cause instanceof InterruptedException);
    }
}
