package dev.durable.store.memory;

import dev.durable.client.ActivityState;
import dev.durable.client.WorkflowDescription.PendingActivity;
import dev.durable.history.InboxMessage;
import dev.durable.history.JobNotes;
import dev.durable.history.OptionsJson;
import dev.durable.store.CancelledIdleJob;
import dev.durable.store.ClaimedJob;
import dev.durable.store.HeldJob;
import dev.durable.store.JobDeadlines;
import dev.durable.store.JobKey;
import dev.durable.store.JobOrder;
import dev.durable.store.JobUpdate;
import dev.durable.store.LeftJob;
import dev.durable.store.NewJob;
import dev.durable.store.OpenJob;
import dev.durable.store.OrderRules;
import dev.durable.store.OrphanedJob;
import dev.durable.store.TimedOutIdleJob;
import dev.durable.store.TimedOutIdleJob.Timeout;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The counterpart of a row of {@code activity_job}, with its state machine. {@link JobQueues} moves it between its
 * states.
 *
 * <pre>
 *   new ───► ready ──claim──► running ──outcome─► gone
 *     └────────┬──────────────►│ │
 *     eager    └── delayed ◄───┘ └── used up ──► dead, incident
 *                 retry, release
 * </pre>
 *
 * A paused job that waits is kept where no claim finds it; one that runs is kept there when it is put back. A job that
 * is left to the holder of a token is external: it keeps its lease, and no session has it.
 *
 * <p>A job with a limit key is waiting before it is ready, each time, until its key lets it through.
 */
final class Job {
    private final JobKey key;
    private NewJob spec;
    private ActivityState state = ActivityState.READY;
    private NewJob.@Nullable Lease lease;
    private @Nullable Instant visibleAt;
    private int attempt = 1;
    private int crashes;
    private boolean cancelRequested;
    private @Nullable String notes;
    private @Nullable String lastFailure;
    private @Nullable String heartbeatDetails;
    private @Nullable Instant claimedAt;
    private boolean paused;
    private boolean begun;
    private int revision;
    private @Nullable String operatorNotes;
    private @Nullable Instant deadline;
    private @Nullable Instant silentUntil;
    private OpenJob.@Nullable Burial burial;

    Job(JobKey key, NewJob spec) {
        this.key = key;
        this.spec = spec;
    }

    JobKey key() {
        return key;
    }

    NewJob spec() {
        return spec;
    }

    ActivityState state() {
        return state;
    }

    boolean heldUnder(UUID token) {
        return lease != null && lease.token().equals(token);
    }

    /** The lease token and session of the worker that runs it. */
    NewJob.Lease lease() {
        return Objects.requireNonNull(lease, () -> key + " is not running");
    }

    boolean cancelRequested() {
        return cancelRequested;
    }

    boolean paused() {
        return paused;
    }

    void pause(boolean on) {
        paused = on;
    }

    /** Returns whether an attempt is under way, in this worker or elsewhere. */
    boolean isLeased() {
        return lease != null;
    }

    /** Starts an attempt; from here on the notes that orders have added travel with the job. */
    void run(NewJob.Lease holder, Instant now) {
        state = ActivityState.RUNNING;
        lease = holder;
        visibleAt = null;
        claimedAt = now;
        notes = allNotes();
        operatorNotes = null;
        revision = 0;
    }

    /** Makes the job wait until this time; null is no delay. */
    void waitUntil(@Nullable Instant until) {
        state = paused ? ActivityState.PAUSED : until == null ? ActivityState.READY : ActivityState.DELAYED;
        visibleAt = until;
        burial = null;
        endAttempt();
    }

    @Nullable
    Instant visibleAt() {
        return visibleAt;
    }

    private void endAttempt() {
        lease = null;
        claimedAt = null;
        deadline = null;
        silentUntil = null;
    }

    /** Leaves the attempt, whose body has returned, to the holder of its token. */
    void detach(JobUpdate.Detach how, Instant now) {
        begin();
        boolean heard = revision <= how.revision() || deadline == null;
        state = ActivityState.EXTERNAL;
        replace(how.options());
        notes = how.notes();
        heartbeat(how.details());
        deadline = heard ? now.plus(how.left()) : deadline;
        silentUntil = how.silence() == null ? null : now.plus(how.silence());
    }

    /** The time at which the attempt of the token's holder times out; null is never. */
    @Nullable
    Instant holdsUntil() {
        return StoredTimes.earlier(
                StoredTimes.earlier(deadline, silentUntil), spec.deadlines().toClose());
    }

    // ── orders ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /** The notes and details that the run's history is to keep if the run closes before the job ends. */
    LeftJob left() {
        return new LeftJob(key.seq(), attempt, allNotes(), heartbeatDetails, null);
    }

    JobOrder.Seen seen() {
        return new JobOrder.Seen(lease == null ? null : lease.token(), attempt, revision);
    }

    /** The state of the job by which {@link OrderRules} judge orders. */
    OrderRules.Found found() {
        return new OrderRules.Found(seen(), isLeased(), state.isBuried(), paused, visibleAt != null, cancelRequested);
    }

    /** Counts a change by an order, and adds its note. */
    void revised(@Nullable String note) {
        revision++;
        operatorNotes = JobNotes.with(operatorNotes, note);
    }

    void deadline(Instant until) {
        deadline = until;
    }

    void silentUntil(@Nullable Instant until) {
        silentUntil = until;
    }

    void options(JobOrder.UpdateOptions order) {
        int budget = sum(spec.maxWorkerCrashes(), order.moreWorkerCrashes());
        spec = spec(order.options(), order.scheduleToStart(), order.scheduleToClose(), budget);
    }

    /** It counts as scheduled at another time. */
    void moved(JobDeadlines to) {
        spec = spec.with(spec.content(), to, spec.maxWorkerCrashes());
    }

    private static int sum(int crashes, int more) {
        return (int) Math.min(Integer.MAX_VALUE, (long) crashes + more);
    }

    private NewJob spec(
            String options, @Nullable Instant scheduleToStart, @Nullable Instant scheduleToClose, int maxCrashes) {
        return spec.with(
                spec.content().with(null, options),
                spec.deadlines().with(scheduleToStart, scheduleToClose),
                maxCrashes);
    }

    @Nullable
    String notes() {
        return notes;
    }

    @Nullable
    String allNotes() {
        return JobNotes.joined(notes, operatorNotes);
    }

    HeldJob held() {
        HeldJob.Ordered ordered = revision == 0
                ? null
                : new HeldJob.Ordered(
                        revision,
                        deadline,
                        spec.content().options(),
                        spec.deadlines().toClose(),
                        operatorNotes);
        return new HeldJob(key, lease().token(), cancelRequested, ordered);
    }

    /**
     * The job as listings and descriptions show it.
     *
     * @param whole whether to include its arguments and notes
     */
    OpenJob open(Function<UUID, @Nullable String> identity, boolean whole) {
        OpenJob.Worker worker = state == ActivityState.RUNNING
                ? new OpenJob.Worker(lease().session(), identity.apply(lease().session()))
                : null;
        return new OpenJob(
                key,
                spec.route(),
                new OpenJob.Status(state, paused, begun, cancelRequested, crashes),
                seen(),
                whole ? spec.content().input() : null,
                spec.content().options(),
                new OpenJob.Times(
                        spec.deadlines().scheduledAt(),
                        visibleAt,
                        claimedAt,
                        deadline,
                        silentUntil,
                        spec.deadlines().toClose()),
                worker,
                new OpenJob.Report(lastFailure, heartbeatDetails, whole ? allNotes() : null),
                burial);
    }

    // ── attempts ────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Makes the job wait until its limit key lets it through. */
    void waitForKey() {
        waitUntil(null);
        state = ActivityState.WAITING;
    }

    /** Marks the job as begun, as its body has been called or may have been: schedule-to-start ends it no more. */
    void begin() {
        begun = true;
    }

    /** The job for the decision about it after its worker is gone. */
    OrphanedJob orphaned() {
        return new OrphanedJob(
                key,
                spec.route().activity(),
                spec.route().workflowType(),
                attempt,
                crashes,
                cancelRequested,
                OrphanedJob.Options.of(spec.maxWorkerCrashes(), spec.content().options()),
                notes,
                operatorNotes);
    }

    /** Counts the crash of its worker, if it was one, before the job goes back for another worker. */
    void requeued(OrphanedJob.Decision.Requeued how) {
        begin();
        crashes += how.crash();
    }

    /** Takes over the notes and the crash of a job that stays for an operator, as its worker is gone. */
    void failed(OrphanedJob.Decision.Failed how) {
        failedAttempt(how.nextAttempt(), how.notes(), how.lastFailure(), null);
        crashes += how.crash();
    }

    void die(boolean incident, OpenJob.Burial since) {
        state = incident ? ActivityState.INCIDENT : ActivityState.DEAD;
        burial = since;
        visibleAt = null;
        endAttempt();
    }

    void revive(JobOrder.Revive order) {
        int budget = sum(crashes, order.maxWorkerCrashes());
        spec = spec(order.options(), spec.deadlines().toStart(), order.scheduleToClose(), budget)
                .withInput(order.input());
    }

    OpenJob.@Nullable Burial burial() {
        return burial;
    }

    @Nullable
    String lastFailure() {
        return lastFailure;
    }

    void requestCancel() {
        cancelRequested = true;
    }

    /**
     * Takes over the end of a failed attempt. A failure or options of null keep the stored ones; options that an order
     * has changed meanwhile stay, too.
     */
    void failedAttempt(
            int nextAttempt, String notes, @Nullable String failure, JobUpdate.@Nullable NewOptions options) {
        replace(options);
        begin();
        this.attempt = nextAttempt;
        this.notes = notes;
        this.lastFailure = failure == null ? lastFailure : failure;
    }

    private void replace(JobUpdate.@Nullable NewOptions options) {
        if (options != null && spec.content().options().equals(options.insteadOf())) {
            spec = spec(
                    options.json(), spec.deadlines().toStart(), spec.deadlines().toClose(), spec.maxWorkerCrashes());
        }
    }

    /** Takes over notes and failure; notes of null keep the stored ones. */
    void noted(@Nullable String notes, String failure) {
        this.notes = notes == null ? this.notes : notes;
        this.lastFailure = failure;
    }

    /** Takes over notes and options; null keeps the stored ones. */
    void annotate(@Nullable String notes, JobUpdate.@Nullable NewOptions options) {
        replace(options);
        this.notes = notes == null ? this.notes : notes;
    }

    /** Takes over heartbeat details; null keeps the stored ones. */
    void heartbeat(@Nullable String details) {
        heartbeatDetails = details == null ? heartbeatDetails : details;
    }

    InboxMessage cancelledOutcome() {
        return CancelledIdleJob.outcome(key, attempt - 1, heartbeatDetails, allNotes());
    }

    /** The time at which a timeout ends the job if no worker runs it; null is never. */
    @Nullable
    Instant waitsUntil() {
        return StoredTimes.earlier(toStart(), spec.deadlines().toClose());
    }

    /** The deadline of schedule-to-start, which counts only until the job has begun. */
    private @Nullable Instant toStart() {
        return begun ? null : spec.deadlines().toStart();
    }

    InboxMessage timedOutOutcome(Instant now) {
        Instant toClose = spec.deadlines().toClose();
        Timeout timeout = Timeout.of(
                toClose != null && !toClose.isAfter(now),
                toStart(),
                spec.content().options());
        return TimedOutIdleJob.outcome(key, timeout, attempt - 1, heartbeatDetails, allNotes());
    }

    ClaimedJob claimed() {
        return new ClaimedJob(
                key,
                spec.route(),
                lease().token(),
                attempt,
                crashes,
                spec.content(),
                spec.deadlines().with(toStart(), spec.deadlines().toClose()),
                heartbeatDetails,
                notes);
    }

    PendingActivity describe() {
        return new PendingActivity(
                key.seq(),
                spec.route().activity(),
                cancelRequested && lease != null ? "cancelling" : state.name().toLowerCase(Locale.ROOT),
                attempt,
                visibleAt,
                lease == null || state == ActivityState.EXTERNAL ? null : lease.session(),
                lastFailure,
                heartbeatDetails,
                OptionsJson.decodeIfReadable(spec.content().options()).summary());
    }
}
