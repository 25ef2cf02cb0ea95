package dev.durable.worker;

import dev.durable.ActivityOptions;
import dev.durable.OutcomeUnknownException;
import dev.durable.history.Failure;
import dev.durable.history.OptionsJson;
import dev.durable.history.TimeoutType;
import dev.durable.replay.BackgroundJob;
import dev.durable.store.AtMostOnce;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobUpdate;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The end of an attempt that runs here: what became of its body, ruled by {@link AttemptRules}, told by {@link
 * AttemptReport}. Who shuts down releases what threw meanwhile.
 */
final class AttemptEnd {
    private final ClaimedJob job;
    private final AttemptReport report;
    private final ActivityHost host;
    private volatile Terms terms;

    /** What orders may change while it runs. */
    private record Terms(
            ActivityOptions options, String json, @Nullable Instant scheduleToClose) {}

    AttemptEnd(ClaimedJob job, ActivityOptions options, AttemptReport report, ActivityHost host) {
        this.job = job;
        this.terms = new Terms(options, job.options(), job.scheduleToCloseDeadline());
        this.report = report;
        this.host = host;
    }

    /** From the next decision on. */
    void decideBy(String options, @Nullable Instant scheduleToClose) {
        terms = new Terms(OptionsJson.decode(options), options, scheduleToClose);
    }

    /** The body returned; whoever has its token ends the attempt. */
    void leftToOthers(Duration left, @Nullable String details, int revision) {
        report.detach(left, terms.options().heartbeatTimeout(), details, revision);
    }

    /** The body ended. */
    void ended(ActivityCall.Ended how, Instant startedAt, Cancellation.Cause cause, @Nullable String details) {
        boolean cancelled = cause == Cancellation.Cause.REQUESTED;
        switch (how) {
            case ActivityCall.Returned returned -> report.completed(returned.result(), startedAt);
            // Who called a local activity has written its arguments in this process: no other worker reads them better.
            case ActivityCall.NotRead unread
            when host.reports().local() -> report.ruled(rules().cannotCross(unread.why(), cancelled), details);
            case ActivityCall.NotRead unread -> report.notRead(unread.why());
            case ActivityCall.CanNotCross refused ->
                report.ruled(rules().cannotCross(refused.why(), cancelled), details);
            case ActivityCall.Threw ignored
            when cause == Cancellation.Cause.SHUTDOWN && !terms.options().atMostOnce() ->
                released(Duration.ZERO, details);
            case ActivityCall.Threw threw -> report.ruled(rules().threw(threw.thrown(), cancelled), details);
        }
    }

    /** What settles it, where the body's own transaction does. */
    JobUpdate.Settle settlement(ActivityCall.Returned returned, Instant startedAt) {
        return report.settlement(returned.result(), startedAt);
    }

    /** It never ran its body. */
    void cancelledBeforeItBegan() {
        report.ruled(new Ruling.Cancelled(), null);
    }

    /** It ran out of a timeout, or had before it began. */
    void timedOut(TimeoutType timeout, Cancellation.Cause cause, @Nullable String details) {
        report.ruled(rules().timedOut(timeout, cause == Cancellation.Cause.REQUESTED), details);
    }

    /** Given back as it is. */
    void released(Duration delay, @Nullable String details) {
        report.release(delay, details);
    }

    /** Its worker gives it up, and its body may have run: given back, if it may run again. */
    void abandoned(@Nullable String details) {
        if (terms.options().atMostOnce()) {
            Failure unknown = Failure.of(OutcomeUnknownException.class.getName(), AtMostOnce.why(job.attempt()));
            report.ruled(new Ruling.Failed(unknown), details);
        } else {
            released(Duration.ZERO, details);
        }
    }

    /** A timeout, in words. */
    String describe(TimeoutType timeout) {
        return rules().describe(timeout);
    }

    private AttemptRules rules() {
        Terms now = terms;
        Instant close = now.scheduleToClose();
        Duration left =
                close == null ? null : Duration.between(host.deadlines().clock().now(), close);
        boolean background = job.workflowType().equals(BackgroundJob.TYPE);
        return new AttemptRules(
                new AttemptRules.Of(job.activity(), job.key().seq(), job.attempt(), background, ""),
                new AttemptRules.Terms(now.options(), now.json(), left),
                host.code(),
                host.surroundings().random());
    }
}
