package dev.durable.internal.attempt;

import dev.durable.ActivityOptions;
import dev.durable.DurableException;
import dev.durable.OutcomeUnknownException;
import dev.durable.StoreRefusedException;
import dev.durable.StoreUnavailableException;
import dev.durable.history.Failure;
import dev.durable.history.TimeoutType;
import dev.durable.internal.observe.AttemptSpan;
import dev.durable.internal.observe.Fingerprint;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.internal.text.Thrown;
import dev.durable.observe.ActivityAttemptEnd.Outcome;
import dev.durable.store.AtMostOnce;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobUpdate;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Decides what the end of an attempt in this process means (result, failure, cancellation, shutdown, outage) by {@link
 * RetryRules} and has it reported by {@link AttemptReport}. While the worker shuts down, an exception of the body may
 * come of the shutdown: the job is given back without using an attempt. A job that runs at most once must not run
 * again, so it ends with an unknown outcome instead.
 */
final class AttemptEnd {
    private final ClaimedJob job;
    private final AttemptReport report;
    private final AttemptServices host;
    private final AttemptSpan span;
    private static final Failure UNSAID = Failure.of(
            StoreRefusedException.class.getName(),
            "the database refused the end of this attempt, and its failure, too; the log of the worker has both errors");

    private volatile Terms terms;
    private volatile boolean returned;
    private volatile boolean cancelled;

    /** The options and the deadline of the attempt; operators may change both while it runs. */
    private record Terms(
            ActivityOptions options, String json, @Nullable Instant scheduleToClose) {
        @Override
        public String toString() {
            return "Terms[" + options + ", scheduleToClose=" + scheduleToClose + "]";
        }
    }

    /**
     * @param options the options with which the attempt began
     * @param scheduleToClose when all attempts together must have ended; null is never
     * @param span gets the outcome of the attempt
     */
    AttemptEnd(
            ClaimedJob job,
            ActivityOptions options,
            @Nullable Instant scheduleToClose,
            AttemptReport report,
            AttemptServices host,
            AttemptSpan span) {
        this.span = span;
        this.job = job;
        this.terms = new Terms(options, job.content().options(), scheduleToClose);
        this.report = report;
        this.host = host;
        report.onRefusal(this::refused);
    }

    /** Sets the options by which decisions from now on are made. */
    void decideBy(ActivityOptions options, String json, @Nullable Instant scheduleToClose) {
        terms = new Terms(options, json, scheduleToClose);
    }

    /**
     * Reports that the body has returned after {@code completeLater}, so that the holder of its token ends the attempt.
     */
    void leftToOthers(Duration left, @Nullable String details, int revision) {
        span.ended(Outcome.LEFT_TO_TOKEN);
        Terms now = terms;
        JobUpdate.NewOptions options = RetryRules.settled(now.options(), now.json());
        report.detach(left, now.options().heartbeatTimeout(), details, revision, options);
    }

    /** A decided end; nothing is left of it but data, so no code of the application runs when it is reported. */
    @FunctionalInterface
    interface Decided {
        /**
         * Has the end reported.
         *
         * @param details its last heartbeat details
         */
        void report(@Nullable String details);
    }

    /**
     * Decides what the end of the body means for the job. The application's own code takes part: getters of exceptions,
     * {@code retryIf}, the sanitizer of errors. Hence it is to be called while the body counts as running, so that the
     * time limits of the attempt hold for that code, too. Its exceptions are caught where it is called; any other error
     * in here counts as a failure of the attempt, which says so.
     */
    Decided decide(ActivityInvocation.Ended how, Instant startedAt, Cancellation.Cause cause) {
        cancelled = cause == Cancellation.Cause.REQUESTED;
        returned = how instanceof ActivityInvocation.Returned;
        try {
            return decided(how, startedAt, cause);
        } catch (Throwable e) {
            DurableException instead = new DurableException("attempt " + job.attempt() + " of "
                    + job.activity() + " ended, and how can't be described: "
                    + Thrown.of(e).text());
            return ruling(rules().threw(instead, cancelled));
        }
    }

    private Decided decided(ActivityInvocation.Ended how, Instant startedAt, Cancellation.Cause cause) {
        return switch (how) {
            case ActivityInvocation.Returned returned ->
                details -> {
                    span.ended(Outcome.COMPLETED);
                    report.completed(returned.result(), startedAt);
                };
            // The arguments of a local activity were written by this process, so no other worker could read them.
            case ActivityInvocation.NotRead unread
            when host.reports().local() -> ruling(rules().cannotCross(unread.why(), cancelled));
            case ActivityInvocation.NotRead unread ->
                details -> {
                    span.ended(Outcome.NOT_READ);
                    report.notRead(unread.why());
                };
            case ActivityInvocation.CanNotCross refused -> ruling(rules().cannotCross(refused.why(), cancelled));
            case ActivityInvocation.Threw ignored
            when cause == Cancellation.Cause.SHUTDOWN && !terms.options().atMostOnce() ->
                details -> release(details, true);
            case ActivityInvocation.Threw threw
            when cause == Cancellation.Cause.SHUTDOWN -> ruling(outcomeUnknown(threw.thrown()));
            case ActivityInvocation.Threw threw -> ruling(rules().threw(threw.thrown(), cancelled));
        };
    }

    private Decided ruling(AttemptResult ruling) {
        return details -> ruled(ruling, details);
    }

    /**
     * Gives the job back after an outage: the transaction of its body was ended from outside, or could not begin, so
     * nothing of the body was written, and the body is not at fault. No attempt is used, and the pause before the next
     * one grows with each outage in a row.
     *
     * @return false where there was no such outage, or a body that was called must not be called again
     */
    boolean givenBackForOutage(TransactionalBody.Result result, Cancellation.Cause cause, @Nullable String details) {
        StoreUnavailableException outage = result.outage();
        if (outage == null || result.begun() && terms.options().atMostOnce()) {
            return false;
        }
        if (cause == Cancellation.Cause.SHUTDOWN) {
            release(details, result.begun());
        } else {
            span.ended(Outcome.GIVEN_BACK);
            report.outage(host.code().failure(job.activity(), outage), details, result.begun());
        }
        return true;
    }

    /** Returns the update that completes the job inside the body's own transaction. */
    JobUpdate.Settle settlement(ActivityInvocation.Returned returned, Instant startedAt) {
        return report.settlement(returned.result(), startedAt);
    }

    /** Reports that the attempt was cancelled before its body began. */
    void cancelledBeforeItBegan() {
        ruled(new AttemptResult.Cancelled(), null);
    }

    /** Has the end say that the body goes on, so that its place under limits is kept. */
    void bodyGoesOn(Runnable whenTold) {
        report.bodyGoesOn(whenTold);
    }

    /** Reports that the attempt ended as cancelled because its body has not stopped in time. */
    void cancelled(@Nullable String details) {
        ruled(new AttemptResult.Cancelled(), details);
    }

    /** Reports that the attempt ran out of a timeout, while its body ran or before it began. */
    void timedOut(TimeoutType timeout, Cancellation.Cause cause, @Nullable String details) {
        ruled(rules().timedOut(timeout, cause == Cancellation.Cause.REQUESTED), timeout, details);
    }

    private void ruled(AttemptResult ruling, @Nullable String details) {
        ruled(ruling, null, details);
    }

    /**
     * @param timeout the timeout that the attempt ran out of; null where none
     */
    private void ruled(AttemptResult ruling, @Nullable TimeoutType timeout, @Nullable String details) {
        tell(ruling, timeout);
        logged(ruling);
        Terms now = terms;
        report.ruled(ruling, details, RetryRules.settled(now.options(), now.json()));
    }

    /**
     * Reports another end where the store refuses one for good. A result that the store can't keep counts as one that
     * can't be written as JSON; any other refused end counts as a failure of the attempt, which may be retried. Where
     * that end is refused, too, the job becomes an incident for an operator.
     */
    private void refused(StoreRefusedException why, boolean again) {
        AttemptResult ruling = again
                ? new AttemptResult.Buried(true, Notes.FAILED, UNSAID)
                : returned ? rules().cannotCross(why, cancelled) : rules().threw(why, cancelled);
        logged(ruling);
        Terms now = terms;
        report.ruled(ruling, null, again ? null : RetryRules.settled(now.options(), now.json()));
    }

    /** Gives the job back unchanged, as its body was not called. */
    void notBegun() {
        release(null, false);
    }

    /**
     * Gives up the attempt at the shutdown of its worker, where its body may have run: the job is given back, unless it
     * runs at most once.
     */
    void abandoned(@Nullable String details) {
        if (terms.options().atMostOnce()) {
            ruled(outcomeUnknown(null), details);
        } else {
            release(details, true);
        }
    }

    private void release(@Nullable String details, boolean begun) {
        span.ended(Outcome.GIVEN_BACK);
        report.release(Duration.ZERO, details, begun);
    }

    /** Logs the decision. Where a job would become an incident, a local activity only fails, as it has no job. */
    private void logged(AttemptResult ruling) {
        AttemptResult told =
                ruling instanceof AttemptResult.Buried buried && host.reports().local()
                        ? new AttemptResult.Failed(buried.failure())
                        : ruling;
        FailedAttempt.of(job).log(host.surroundings().telemetry().failures(), told, null);
    }

    private void tell(AttemptResult ruling, @Nullable TimeoutType timeout) {
        switch (ruling) {
            case AttemptResult.Failed failed -> failed(Outcome.FAILED, timeout, failed.failure());
            case AttemptResult.Cancelled ignored -> span.ended(Outcome.CANCELLED);
            case AttemptResult.CancelledLate late -> failed(Outcome.CANCELLED, timeout, late.failure());
            case AttemptResult.TimedOut late -> span.ended(Outcome.TIMED_OUT, late.timeout(), () -> null);
            case AttemptResult.OutOfTime late ->
                failed(Outcome.TIMED_OUT, timeout == null ? TimeoutType.SCHEDULE_TO_CLOSE : timeout, late.failure());
            case AttemptResult.Discarded discarded -> failed(Outcome.DISCARDED, timeout, discarded.failure());
            case AttemptResult.Buried buried ->
                failed(buried.incident() ? Outcome.INCIDENT : Outcome.DEAD_LETTER, timeout, buried.failure());
            case AttemptResult.Again again -> failed(Outcome.RETRIED, timeout, again.failure());
            case AttemptResult.GivenBack ignored -> span.ended(Outcome.GIVEN_BACK);
        }
    }

    private void failed(Outcome outcome, @Nullable TimeoutType timeout, Failure failure) {
        span.ended(outcome, timeout, () -> Fingerprint.of(job.activity(), failure));
    }

    /**
     * Decides on an at-most-once body that may have run: its outcome is unknown, as its exception may come of the
     * shutdown.
     */
    private AttemptResult outcomeUnknown(@Nullable Throwable thrown) {
        Failure unknown = thrown == null
                ? Failure.of(OutcomeUnknownException.class.getName(), AtMostOnce.why(job.attempt()))
                : host.code()
                        .failure(job.activity(), new OutcomeUnknownException(AtMostOnce.why(job.attempt()), thrown));
        return rules().lost(unknown);
    }

    /** Returns the timeout in words, for the failure and the log. */
    String describe(TimeoutType timeout) {
        return rules().describe(timeout);
    }

    private RetryRules rules() {
        Terms now = terms;
        Instant close = now.scheduleToClose();
        Duration left =
                close == null ? null : Duration.between(host.deadlines().clock().now(), close);
        boolean background = job.route().workflowType().equals(BackgroundJob.TYPE);
        return new RetryRules(
                new RetryRules.Of(job.activity(), job.key().seq(), job.attempt(), background, ""),
                new RetryRules.Terms(now.options(), now.json(), left),
                host.code(),
                host.surroundings().random());
    }
}
