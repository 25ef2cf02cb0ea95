package dev.durable.store.memory;

import dev.durable.WorkflowDescription.PendingActivity;
import dev.durable.store.CancelledIdleJob;
import dev.durable.store.ClaimedJob;
import dev.durable.store.InboxMessage;
import dev.durable.store.JobKey;
import dev.durable.store.NewJob;
import dev.durable.store.TimedOutIdleJob;
import dev.durable.store.TimedOutIdleJob.Timeout;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The row of an activity job. {@link JobQueues} moves it between its states.
 *
 * <pre>
 *   born ──► ready ──claim──► running ──settle──► gone
 *     └────────┬──────────────►│ │
 *     eager    └── delayed ◄───┘ └── crash over the budget ──► dead
 *                 retry, release
 * </pre>
 */
final class Job {
    /** Where it stands. */
    enum State {
        READY,
        DELAYED,
        RUNNING,
        DEAD
    }

    private final JobKey key;
    private final NewJob spec;
    private State state = State.READY;
    private NewJob.@Nullable Lease lease;
    private @Nullable Instant visibleAt;
    private int attempt = 1;
    private int crashes;
    private boolean cancelRequested;
    private @Nullable String notes;
    private @Nullable String lastFailure;
    private @Nullable String heartbeatDetails;

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

    State state() {
        return state;
    }

    boolean heldUnder(UUID token) {
        return lease != null && lease.token().equals(token);
    }

    /** Token and session of who runs it. */
    NewJob.Lease lease() {
        return Objects.requireNonNull(lease, () -> key + " is not running");
    }

    boolean cancelRequested() {
        return cancelRequested;
    }

    void run(NewJob.Lease holder) {
        state = State.RUNNING;
        lease = holder;
        visibleAt = null;
    }

    /** Null is at once. */
    void waitUntil(@Nullable Instant until) {
        state = until == null ? State.READY : State.DELAYED;
        lease = null;
        visibleAt = until;
    }

    /** Counts a crash, and tells whether the budget allows another try. */
    boolean crash() {
        return ++crashes <= spec.maxWorkerCrashes();
    }

    void die() {
        state = State.DEAD;
        lease = null;
    }

    void requestCancel() {
        cancelRequested = true;
    }

    void failedAttempt(int nextAttempt, String notes, @Nullable String failure) {
        this.attempt = nextAttempt;
        this.notes = notes;
        this.lastFailure = failure;
    }

    void annotate(String notes) {
        this.notes = notes;
    }

    /** Null keeps what is stored. */
    void heartbeat(@Nullable String details) {
        heartbeatDetails = details == null ? heartbeatDetails : details;
    }

    InboxMessage cancelledOutcome() {
        return CancelledIdleJob.outcome(key, attempt - 1, heartbeatDetails, notes);
    }

    /** When its time is over if nobody runs it; null is never. Schedule-to-start is for the first attempt only. */
    @Nullable
    Instant waitsUntil() {
        Instant toStart = attempt == 1 && crashes == 0 ? spec.scheduleToStartDeadline() : null;
        Instant toClose = spec.scheduleToCloseDeadline();
        return toStart == null || (toClose != null && toClose.isBefore(toStart)) ? toClose : toStart;
    }

    InboxMessage timedOutOutcome(Instant now) {
        Instant toClose = spec.scheduleToCloseDeadline();
        Timeout timeout =
                toClose != null && !toClose.isAfter(now) ? Timeout.SCHEDULE_TO_CLOSE : Timeout.SCHEDULE_TO_START;
        return TimedOutIdleJob.outcome(key, timeout, attempt - 1, heartbeatDetails, notes);
    }

    ClaimedJob claimed() {
        return new ClaimedJob(
                key,
                spec.activity(),
                spec.taskQueue(),
                spec.workflowType(),
                lease().token(),
                attempt,
                crashes,
                spec.input(),
                spec.options(),
                spec.headers(),
                spec.scheduledAt(),
                spec.scheduleToCloseDeadline(),
                heartbeatDetails,
                notes);
    }

    PendingActivity describe() {
        return new PendingActivity(
                key.seq(),
                spec.activity(),
                state.name().toLowerCase(Locale.ROOT),
                attempt,
                visibleAt,
                lease == null ? null : lease.session(),
                lastFailure,
                heartbeatDetails);
    }
}
