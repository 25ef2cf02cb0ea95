package dev.durable.internal.attempt;

import dev.durable.ActivityOptions;
import dev.durable.history.TimeoutType;
import dev.durable.internal.declare.ActivityBinding;
import dev.durable.internal.drive.BodyThread;
import dev.durable.internal.observe.AttemptSpan;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.internal.text.Thrown;
import dev.durable.observe.ActivityAttemptEnd.Outcome;
import dev.durable.store.ClaimedJob;
import dev.durable.store.HeldJob;
import dev.durable.store.JobKey;
import dev.durable.store.JobUpdate;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one attempt of an activity in this process, from the claimed job to the reported outcome.
 *
 * <pre>
 *   waiting ──► running ──► ended           the body ended: its outcome counts
 *      │           └──────► ended           cut short: timed out (reported at once), lost (not reported),
 *      └──────────────────► ended           given back. The body is told and interrupted; its later result is dropped
 * </pre>
 *
 * <p>Only the first end of an attempt counts. A body that goes on after its interrupt keeps its thread, and for a grace
 * its slot; then it is counted as a zombie. The body keeps its place under the limits of its queue and its key until it
 * ends, or for {@link JobUpdate#PLACE_KEPT}: the update that ends the attempt says so, so that no other job takes the
 * place in between.
 */
public final class Attempt implements Runnable, Leases.Held {
    private static final Logger log = LoggerFactory.getLogger(Attempt.class);
    /** How long a body may go on after its interrupt before its slot is given up. */
    public static final Duration INTERRUPT_GRACE = Duration.ofSeconds(5);

    private enum Phase {
        WAITING,
        RUNNING,
        ENDED
    }

    private final ClaimedJob job;
    private final UUID session;
    private final ActivitySlots.Slot slot;
    private final AttemptServices host;
    private final ActivityOptions options;
    private final ActivityBinding binding;
    private final Notes notes;
    private final Cancellation cancellation;
    private final HeartbeatSender heartbeats;
    private final AttemptWatch watch;
    private final AttemptContext context;
    private final AttemptEnd end;
    private final AttemptSpan span;
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.WAITING);
    private final BodyThread thread = new BodyThread();
    private final Executor besideBodies;
    private final ActivityQueue queue;
    private final AtomicBoolean graceRuns = new AtomicBoolean();
    private final LimitPlace place;
    private final OptionsInRow row;

    private volatile @Nullable TransactionalBody inTransaction;
    private volatile int heardRevision;
    private volatile @Nullable Instant heardDeadline;

    /**
     * @param job the claimed job
     * @param session the session that holds the lease
     * @param queue the queue of the job
     * @param slot the slot taken for the job
     * @throws RuntimeException when this process does not have the activity or can't read the job
     */
    public Attempt(ClaimedJob job, UUID session, ActivityQueue queue, ActivitySlots.Slot slot, AttemptServices host) {
        this.job = job;
        this.session = session;
        this.slot = slot;
        this.host = host;
        this.row = new OptionsInRow(job);
        this.options = row.read(host.code());
        this.binding = host.code()
                .bindings()
                .apply(job.activity())
                .orElseThrow(() -> new IllegalStateException("activity " + job.activity() + " is not registered here"));
        Instant now = host.deadlines().clock().now();
        Instant close = row.scheduleToClose(job.deadlines().toClose(), options);
        this.notes = Notes.of(job, now);
        if (job.route().workflowType().equals(BackgroundJob.TYPE)) {
            row.noteThoseOfHere(options, notes, now, host.surroundings().identity());
        }
        this.queue = queue;
        this.place = new LimitPlace(this, options, queue, host);
        this.besideBodies = queue.cancelActions();
        this.cancellation = new Cancellation(besideBodies, host.code().failures()::loggable);
        this.heartbeats = new HeartbeatSender(
                HeartbeatSender.throttle(options.heartbeatTimeout()),
                host.deadlines(),
                this::sendHeartbeat,
                this::heard);
        this.watch = new AttemptWatch(host.deadlines(), options, close, this::waitsForStore, this::timedOut);
        this.context = new AttemptContext(
                job, options, new AttemptContext.Parts(cancellation, heartbeats, watch, notes, this::heard), host);
        this.span = host.surroundings().telemetry().attempt(job, host.reports().local());
        this.end = new AttemptEnd(
                job,
                options,
                close,
                new AttemptReport(
                        job,
                        notes,
                        queue,
                        host,
                        // The holder of the token may have sent heartbeats, too.
                        () -> job.heartbeatDetails() != null || heartbeats.latest() != null || context.leftToOthers()),
                host,
                span);
    }

    JobKey key() {
        return job.key();
    }

    public UUID lease() {
        return job.lease();
    }

    public UUID session() {
        return session;
    }

    boolean isAtMostOnce() {
        return options.atMostOnce();
    }

    // ── the body ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public void run() {
        TimeoutType late = watch.late(job.deadlines().toStart());
        if (late != null) {
            endsUnbegun(() -> end.timedOut(late, cancellation.cause(), null));
        } else if (cancellation.requested()) {
            endsUnbegun(end::cancelledBeforeItBegan);
        } else if (isOnceUnsaid()) {
            sayOnce(options, this::mayBegin);
        } else {
            // Set on its thread before the attempt counts as running, so that no interrupt misses the thread.
            thread.enter();
            if (phase.compareAndSet(Phase.WAITING, Phase.RUNNING)) {
                runBody();
            } else {
                thread.leave();
            }
        }
    }

    private void runBody() {
        Instant startedAt = host.deadlines().clock().now();
        watch.begin(options.startToClose());
        span.begins();
        if (options.transactional()) {
            runInTransaction(startedAt);
            return;
        }
        ActivityInvocation.Ended how = invoked();
        // Decided while the attempt counts as running, and on its thread, as code of the application takes part.
        AttemptEnd.Decided decided = end.decide(how, startedAt, cancellation.cause());
        thread.leave();
        boolean counts = ends(Phase.RUNNING);
        // Freed before the outcome is reported, so that the run's next activity finds the slot free.
        slot.free();
        if (!counts) {
            place.bodyEndedLate();
        } else if (how instanceof ActivityInvocation.Returned && context.leftToOthers()) {
            tell(() -> end.leftToOthers(watch.left(), heartbeats.latest(), heardRevision));
        } else {
            tell(() -> decided.report(heartbeats.latest()));
        }
    }

    private ActivityInvocation.Ended invoked() {
        try {
            return ActivityInvocation.run(binding, job, context, host.code(), this::wasRead);
        } catch (Throwable e) {
            return new ActivityInvocation.Threw(e);
        }
    }

    /**
     * Returns whether the job is to run at most once by this process's configuration only, and its row does not say so
     * yet.
     */
    private boolean isOnceUnsaid() {
        return options.atMostOnce() && !row.saysOnce();
    }

    private void sayOnce(ActivityOptions now, Reports.Answer answer) {
        row.sayOnce(now, notes, host.reports(), answer);
    }

    /** Begins an attempt whose row now says that it runs at most once; ends it unbegun where the lease is lost. */
    private void mayBegin(JobUpdate.@Nullable Outcome outcome, @Nullable Throwable error) {
        if (outcome == null || error != null) {
            endsUnbegun(end::notBegun);
            return;
        }
        heard(outcome);
        try {
            // The checks of the start run anew: a deadline may have passed, or an order may have come that the update
            // did not see.
            queue.executor().execute(this);
        } catch (RejectedExecutionException e) {
            giveBackUnlessBegun();
        }
    }

    /**
     * Notes that the arguments could be read: where other workers had noted that they could not, that period ends now.
     */
    private void wasRead() {
        String noted = notes.read(host.deadlines().clock().now()) ? notes.json() : null;
        if (noted != null) {
            host.reports().tell(new JobUpdate.Annotate(job.key(), job.lease(), noted, null), (outcome, error) -> {});
        }
    }

    /**
     * Runs the body and commits its writes together with the completion. The attempt ends before the commit: a timeout,
     * a lost lease or a shutdown that comes later is decided by the job's row, which either still has the lease or has
     * gone with the commit.
     */
    private void runInTransaction(Instant startedAt) {
        TransactionalBody body = new TransactionalBody(host.reports().transactional(), context, thread);
        inTransaction = body;
        AtomicReference<Cancellation.Cause> cause = new AtomicReference<>(cancellation.cause());
        TransactionalBody.Result result = body.run(
                watch.left(),
                this::invoked,
                () -> {
                    cause.set(cancellation.cause());
                    return ends(Phase.RUNNING);
                },
                returned -> end.settlement(returned, startedAt));
        slot.free();
        if (!result.counts()) {
            place.bodyEndedLate();
            return;
        }
        switch (result.outcome()) {
            case COMMITTED -> {
                span.ended(Outcome.COMPLETED);
                host.leases().remove(job.lease());
            }
            case STALE -> {
                host.reports().transactionWasStale();
                span.ended(Outcome.STALE);
                log.info("{} is stale: its lease was lost, and what it wrote was rolled back", this);
                host.leases().remove(job.lease());
                place.free();
            }
            case ROLLED_BACK ->
                tell(() -> {
                    String details = heartbeats.latest();
                    if (!end.givenBackForOutage(result, cause.get(), details)) {
                        end.decide(result.how(), startedAt, cause.get()).report(details);
                    }
                });
        }
    }

    // ── from outside ─────────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * Requests cancellation for the workflow. The attempt goes on until its body ends; that of a background job for a
     * grace, as no workflow code decides there how long to wait.
     */
    public void cancel() {
        cancellation.request(
                Cancellation.Cause.REQUESTED,
                job.activity() + " was cancelled by workflow " + key().run().shown());
        if (job.route().workflowType().equals(BackgroundJob.TYPE) && graceRuns.compareAndSet(false, true)) {
            host.deadlines().in(host.surroundings().cancelGrace(), this::graceIsOver);
        }
    }

    private void graceIsOver() {
        Duration grace = host.surroundings().cancelGrace();
        cutShort("it was cancelled, and its body did not end within " + grace, () -> {
            log.warn(
                    "{} was cancelled, and its body has not ended within the grace of {}: its job ends as cancelled, and the"
                            + " body is interrupted. Usual cause: it asks neither cancelRequested nor heartbeat, nor has"
                            + " an onCancel. Let it, or give it longer: cancelGrace.",
                    this,
                    grace);
            end.cancelled(heartbeats.latest());
        });
    }

    /**
     * Applies the changes that operators' orders have made to the job; called with each check of the leases that
     * this process holds.
     */
    public void hear(HeldJob.Ordered ordered) {
        if (ordered.revision() <= heardRevision) {
            return;
        }
        heardRevision = ordered.revision();
        notes.hear(ordered.notes());
        ActivityOptions changed =
                host.code().options(job.activity(), job.route().workflowType(), ordered.options());
        Instant closeBy = row.scheduleToClose(ordered.scheduleToCloseDeadline(), changed);
        end.decideBy(changed, ordered.options(), closeBy);
        row.set(ordered.options());
        if (isOnceUnsaid()) {
            sayOnce(changed, (outcome, error) -> {});
        }
        Instant before = watch.deadline();
        watch.closeBy(closeBy);
        Instant deadline = ordered.deadline();
        if (deadline != null && !deadline.equals(heardDeadline)) {
            heardDeadline = deadline;
            watch.endBy(deadline);
        }
        if (watch.deadline().isAfter(before)) {
            reachTransaction(body -> body.prolong(watch.left()));
        }
    }

    /** Ends the attempt because its lease is lost; its result will be ignored. */
    public void becomeStale(String why) {
        // The transaction that took the job away has kept the place.
        cutShort(why, false, () -> {
            span.ended(Outcome.STALE);
            log.info("{} is stale: {}", this, why);
            host.leases().remove(job.lease());
        });
    }

    /** Gives the job back at once if its body has not begun; for the shutdown of the worker. */
    public void giveBackUnlessBegun() {
        endsUnbegun(end::notBegun);
    }

    /** Asks the body to end because the worker shuts down; the job is given back with its last details when it does. */
    public void shutDown() {
        giveBackUnlessBegun();
        cancellation.request(Cancellation.Cause.SHUTDOWN, job.activity() + " stops: its worker shuts down");
        thread.interrupt();
    }

    /** Gives the job of a body that has not ended back with its last details, as the worker shuts down now. */
    public void giveBack() {
        giveBackUnlessBegun();
        cutShort("the worker shut down before " + this + " ended", () -> end.abandoned(heartbeats.latest()));
    }

    public ClaimedJob job() {
        return job;
    }

    private void timedOut(TimeoutType timeout) {
        Cancellation.Cause cause = cancellation.cause();
        cutShort(end.describe(timeout), () -> end.timedOut(timeout, cause, heartbeats.latest()));
    }

    /** Returns whether the body waits for the store and can give no other sign of life. */
    private boolean waitsForStore() {
        return heartbeats.checkpointWaits() || context.appendWaits();
    }

    private void sendHeartbeat(String details, Reports.Answer answer) {
        host.reports().tell(new JobUpdate.Heartbeat(job.key(), job.lease(), details), answer);
    }

    private void heard(JobUpdate.Outcome outcome) {
        switch (outcome) {
            case CANCEL_REQUESTED -> cancel();
            case STALE -> becomeStale("its lease is no longer held");
            case ACCEPTED, DUPLICATE, FULL, LOCKED -> {}
        }
    }

    // ── the end ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Ends the attempt normally if it is in this phase; returns true to the one caller that ended it. */
    private boolean ends(Phase from) {
        boolean mine = phase.compareAndSet(from, Phase.ENDED);
        if (mine) {
            cancellation.ended("STALE: " + this + " has ended");
            atRest();
        }
        return mine;
    }

    private void endsUnbegun(Runnable words) {
        if (ends(Phase.WAITING)) {
            slot.free();
            tell(words);
        }
    }

    /** Ends a waiting or running attempt early, and tells its body. */
    private void cutShort(String why, Runnable words) {
        cutShort(why, true, words);
    }

    /** @param ours whether its job is still this worker's */
    private void cutShort(String why, boolean ours, Runnable words) {
        if (ends(Phase.WAITING)) {
            slot.free();
            tell(words);
            if (!ours) {
                place.free();
            }
        } else if (phase.compareAndSet(Phase.RUNNING, Phase.ENDED)) {
            leaveBehind(why);
            if (ours && place.isLimited()) {
                end.bodyGoesOn(place::endIsDurable);
                tell(words);
            } else {
                tell(words);
                place.endIsDurable();
            }
        }
    }

    private void leaveBehind(String why) {
        host.leases().leaveBehind(job.lease());
        cancellation.request(
                Cancellation.Cause.STALE,
                "STALE: " + why + "; another attempt may run, and nothing this one tells is written");
        atRest();
        thread.interrupt();
        reachTransaction(TransactionalBody::cancel);
        host.deadlines().in(INTERRUPT_GRACE, this::abandon);
        if (place.isLimited()) {
            host.deadlines().in(JobUpdate.PLACE_KEPT, () -> place.giveUp(thread.where()));
        }
    }

    private void atRest() {
        watch.end();
        heartbeats.stop();
    }

    /**
     * Reaches the connection of a transactional body: a thread that waits for the database does not hear its interrupt,
     * and its transaction keeps locks that the next attempt needs.
     */
    private void reachTransaction(Consumer<TransactionalBody> how) {
        TransactionalBody body = inTransaction;
        if (body != null) {
            try {
                besideBodies.execute(() -> how.accept(body));
            } catch (RejectedExecutionException e) {
                log.debug("{} is not reached in the database: the engine is closed", this);
            }
        }
    }

    private void abandon() {
        reachTransaction(TransactionalBody::end);
        thread.where()
                .filter(where -> slot.abandon())
                .ifPresent(where -> log.warn("{} ignores its interrupt: {}. Its slot is given up", this, where));
    }

    /**
     * Reports the end; an attempt whose end can't be reported is forgotten: its lease is later found unused and given
     * back.
     */
    private void tell(Runnable words) {
        try {
            words.run();
        } catch (Throwable e) {
            host.leases().forget(job.lease());
            place.endIsDurable();
            Thrown.quietly(() -> log.error(
                    "the end of {} can't be reported",
                    this,
                    host.code().failures().loggable(e)));
        }
    }

    @Override
    public String toString() {
        return "attempt " + job.attempt() + " of " + job.activity() + " (activity " + key().seq() + " of workflow "
                + key().run().shown() + ")";
    }
}
