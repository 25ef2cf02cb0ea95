package dev.durable.internal.attempt;

import dev.durable.StoreRefusedException;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.LocalCall;
import dev.durable.history.Payload;
import dev.durable.history.TimeoutType;
import dev.durable.internal.drive.Jitter;
import dev.durable.internal.observe.Fingerprint;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobUpdate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends the end of one attempt to the store (completed, to be retried, given back, failed for good), together with its
 * notes and its last heartbeat details.
 */
final class AttemptReport {
    private static final int LAST_FAILURE_CHARS = 500;
    /**
     * The first pause after an outage, doubled with each further one; randomised, so that two transactions that met in
     * a deadlock do not meet again.
     */
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    private final ClaimedJob job;
    private final Notes notes;
    private final ActivityQueue queue;
    private final AttemptServices host;
    private final BooleanSupplier heartbeats;
    private final AtomicInteger refusals = new AtomicInteger();
    private volatile @Nullable Runnable bodyGoesOn;
    private volatile OnRefusal onRefusal = (why, again) -> {};
    private volatile List<HistoryEvent> notedBefore = List.of();

    /** Reports another end where the store has refused one. */
    @FunctionalInterface
    interface OnRefusal {
        /**
         * Finds another end.
         *
         * @param again whether the store has refused the end that took the first one's place, too
         */
        void refused(StoreRefusedException why, boolean again);
    }

    /** @param heartbeats whether heartbeat details of it may be in the store */
    AttemptReport(ClaimedJob job, Notes notes, ActivityQueue queue, AttemptServices host, BooleanSupplier heartbeats) {
        this.heartbeats = heartbeats;
        this.job = job;
        this.notes = notes;
        this.queue = queue;
        this.host = host;
    }

    /**
     * Has the end say that the body goes on.
     *
     * @param whenTold run when the store has answered that end
     */
    void bodyGoesOn(Runnable whenTold) {
        bodyGoesOn = whenTold;
    }

    /** Sets what finds another end where the store refuses the reported one. */
    void onRefusal(OnRefusal reaction) {
        onRefusal = reaction;
    }

    /**
     * Has another end found where the store refuses one for good: without the notes that the refused end added, and on
     * a thread of the queue's own, as the rules that find the other end may be the application's code. The third
     * refusal is not answered with another end.
     */
    private boolean refused(StoreRefusedException why) {
        int before = refusals.getAndIncrement();
        if (before > 1) {
            return false;
        }
        notes.restore(notedBefore);
        try {
            queue.cancelActions().execute(() -> {
                try {
                    onRefusal.refused(why, before > 0);
                } catch (RuntimeException | Error e) {
                    host.leases().forget(job.lease());
                    throw e;
                }
            });
            return true;
        } catch (RejectedExecutionException closed) {
            return false;
        }
    }

    void completed(Payload result, Instant startedAt) {
        notedBefore = notes.taken();
        settle(events().completed(result, startedAt));
    }

    /** Returns the completion as an update for a transaction that the caller commits itself. */
    JobUpdate.Settle settlement(Payload result, Instant startedAt) {
        ActivityCompleted completed = events().completed(result, startedAt);
        return new JobUpdate.Settle(job.key(), job.lease(), EventJson.outcome(job.lease(), completed, notes.all()));
    }

    /**
     * Reports what was decided of an attempt that did not succeed.
     *
     * @param details its last heartbeat details; null for those that the attempt found
     * @param options the options of the attempts that follow; null leaves those that stand in the row
     */
    void ruled(AttemptResult ruling, @Nullable String details, JobUpdate.@Nullable NewOptions options) {
        notedBefore = notes.taken();
        switch (ruling) {
            case AttemptResult.Failed failed -> settle(events().failed(failed.failure()));
            case AttemptResult.Cancelled ignored -> settle(events().cancelled(orFound(details)));
            case AttemptResult.CancelledLate late -> {
                notes.add(events().last(Notes.TIMED_OUT, late.failure()));
                settle(events().cancelled(orFound(details)));
            }
            case AttemptResult.TimedOut timedOut -> settle(events().timedOut(timedOut.timeout(), orFound(details)));
            case AttemptResult.OutOfTime late -> {
                notes.add(events().last(late.reason(), late.failure()));
                settle(events().timedOut(TimeoutType.SCHEDULE_TO_CLOSE, orFound(details)));
            }
            case AttemptResult.Discarded discarded -> {
                notes.add(events().last(Notes.DISCARDED, discarded.failure()));
                completed(Payload.NULL, now());
            }
            case AttemptResult.Buried buried -> bury(buried, details, options);
            case AttemptResult.Again again -> retry(again, details, options);
            case AttemptResult.GivenBack back -> release(back.delay(), details, true);
        }
    }

    private void bury(AttemptResult.Buried buried, @Nullable String details, JobUpdate.@Nullable NewOptions options) {
        if (host.reports().local()) {
            settle(events().failed(buried.failure()));
            return;
        }
        String fingerprint = Fingerprint.of(job.activity(), buried.failure());
        notes.add(events().raised(buried, job.crashes(), fingerprint));
        end(
                new JobUpdate.Bury(
                        job.key(),
                        job.lease(),
                        buried.incident(),
                        job.attempt() + 1,
                        fingerprint,
                        noted(),
                        shown(buried.failure()),
                        details,
                        options),
                Duration.ZERO);
    }

    /** Reports that another attempt follows; wakes the queue's worker when it is due. */
    private void retry(AttemptResult.Again again, @Nullable String details, JobUpdate.@Nullable NewOptions options) {
        notes.add(events().followed(again));
        AttemptResult.Again.Limited limited = again.limited();
        end(
                new JobUpdate.Retry(
                        job.key(),
                        job.lease(),
                        again.delay(),
                        job.attempt() + 1,
                        noted(),
                        shown(again.failure()),
                        details,
                        limited == null ? options : limited.options()),
                again.delay());
    }

    /**
     * Gives the job back; no attempt is used.
     *
     * @param begun whether its body was called
     */
    void release(Duration delay, @Nullable String details, boolean begun) {
        end(new JobUpdate.Release(job.key(), job.lease(), delay, details, begun, null), delay);
    }

    /**
     * Gives the job back because the transaction of its body was ended from outside; that is noted, and no attempt is
     * used.
     *
     * @param begun whether its body was called
     */
    void outage(Failure why, @Nullable String details, boolean begun) {
        notedBefore = notes.taken();
        Notes.Outages outages = notes.outage(events().last(Notes.OUTAGE, why));
        long doubled = FIRST_PAUSE.toMillis() << Math.min(outages.inARow() - 1, 10);
        Duration pause = Duration.ofMillis(Math.min(doubled, LONGEST_PAUSE.toMillis()));
        Duration delay = Jitter.spread(pause, 0.5, host.surroundings().random());
        String shown = shown("given back without using an attempt (" + outages.all() + " so far): ", why);
        host.reports().interrupted(job, shown);
        end(
                new JobUpdate.Release(
                        job.key(), job.lease(), delay, details, begun, new JobUpdate.Release.Why(noted(), shown)),
                delay);
    }

    /** Leaves a job whose arguments can't be read here to other workers. */
    void notRead(Throwable why) {
        host.unread().leave(job, queue, why, host);
    }

    /**
     * Leaves the attempt to the holder of its token.
     *
     * @param options the options by which the attempt goes on; null leaves those that stand in the row
     */
    void detach(
            Duration left,
            @Nullable Duration silence,
            @Nullable String details,
            int revision,
            JobUpdate.@Nullable NewOptions options) {
        host.reports()
                .end(
                        new JobUpdate.Detach(
                                job.key(), job.lease(), notes.json(), details, left, silence, revision, options),
                        () -> {},
                        this::refused);
    }

    private void end(JobUpdate update, Duration delay) {
        Runnable whenTold = bodyGoesOn;
        JobUpdate end = whenTold == null ? update : new JobUpdate.BodyGoesOn(update);
        host.reports()
                .end(
                        end,
                        () -> {
                            host.deadlines().in(delay, queue::nudge);
                            if (whenTold != null) {
                                whenTold.run();
                            }
                        },
                        this::refused);
    }

    private void settle(HistoryEvent.ActivityClosed event) {
        AttemptOutcome outcome = new AttemptOutcome(
                job,
                EventJson.outcome(job.lease(), event, notes.all()),
                heartbeats.getAsBoolean(),
                host.reports().local(),
                () -> host.leases().remove(job.lease()),
                this::refused);
        Runnable whenTold = bodyGoesOn;
        if (whenTold == null) {
            host.reports().settle(outcome);
        } else {
            host.reports().settleAndGoOn(outcome, whenTold);
        }
    }

    private String noted() {
        String all = notes.json();
        return all == null ? "[]" : all;
    }

    private AttemptEvents events() {
        LocalCall call = host.reports().local()
                ? new LocalCall(job.activity(), new Payload(job.content().input()))
                : null;
        return new AttemptEvents(
                job.key().seq(),
                job.attempt(),
                job.lease(),
                now(),
                host.surroundings().identity(),
                call);
    }

    /** Returns the failure as a short text of only those characters that every database can keep. */
    static String shown(Failure failure) {
        return shown("", failure);
    }

    static String shown(String before, Failure failure) {
        String message = before + failure.typeAndMessage();
        return message.codePoints()
                .limit(LAST_FAILURE_CHARS)
                .map(c -> c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) ? 0xFFFD : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private @Nullable String orFound(@Nullable String own) {
        return own == null ? job.heartbeatDetails() : own;
    }

    private Instant now() {
        return host.deadlines().clock().now();
    }
}
