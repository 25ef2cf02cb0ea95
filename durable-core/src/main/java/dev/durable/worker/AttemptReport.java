package dev.durable.worker;

import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityCancelled;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.IncidentRaised;
import dev.durable.history.LocalCall;
import dev.durable.history.Payload;
import dev.durable.history.TimeoutType;
import dev.durable.store.ClaimedJob;
import dev.durable.store.InboxMessage;
import dev.durable.store.JobUpdate;
import dev.durable.store.MessageKind;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The words in which one attempt tells its end, with its notes and its last heartbeat details. */
final class AttemptReport {
    private static final int LAST_FAILURE_CHARS = 500;

    private final ClaimedJob job;
    private final Notes notes;
    private final ActivityQueue queue;
    private final ActivityHost host;
    private final BooleanSupplier heartbeats;

    /**
     * @param heartbeats whether heartbeat details of it may be in the store
     */
    AttemptReport(ClaimedJob job, Notes notes, ActivityQueue queue, ActivityHost host, BooleanSupplier heartbeats) {
        this.heartbeats = heartbeats;
        this.job = job;
        this.notes = notes;
        this.queue = queue;
        this.host = host;
    }

    void completed(Payload result, Instant startedAt) {
        settle(completion(result, startedAt));
    }

    /** The same in words only: the caller settles, in a transaction of its own. */
    JobUpdate.Settle settlement(Payload result, Instant startedAt) {
        return new JobUpdate.Settle(job.key(), job.lease(), message(completion(result, startedAt)));
    }

    private ActivityCompleted completion(Payload result, Instant startedAt) {
        return new ActivityCompleted(
                0, now(), seq(), job.attempt(), job.lease(), result, startedAt, identity(), call());
    }

    void failed(Failure failure) {
        settle(new ActivityFailed(0, now(), seq(), job.attempt(), job.lease(), failure, identity(), call()));
    }

    void timedOut(TimeoutType timeout, @Nullable String details) {
        settle(new ActivityTimedOut(
                0, now(), seq(), job.attempt(), job.lease(), timeout, lastDetails(details), call()));
    }

    void cancelled(@Nullable String details) {
        settle(new ActivityCancelled(0, now(), seq(), job.attempt(), job.lease(), lastDetails(details), call()));
    }

    /** This attempt failed and no other follows, for want of time. */
    void outOfTime(String reason, Failure failure, @Nullable String details) {
        note(reason, failure, null);
        timedOut(TimeoutType.SCHEDULE_TO_CLOSE, details);
    }

    /** It ends as if it had returned null. */
    void discarded(Failure failure) {
        note(Notes.DISCARDED, failure, null);
        completed(Payload.NULL, now());
    }

    /** Its attempts are used up, and it stays until an operator says what becomes of it. */
    void buried(boolean incident, String reason, Failure failure, @Nullable String details) {
        if (host.reports().local()) {
            failed(failure);
            return;
        }
        String fingerprint = Fingerprint.of(job.activity(), failure);
        notes.add(new IncidentRaised(
                0,
                now(),
                seq(),
                job.attempt(),
                incident ? "incident" : "dead letter",
                reason,
                failure,
                job.crashes(),
                fingerprint));
        String all = notes.json();
        end(
                new JobUpdate.Bury(
                        job.key(),
                        job.lease(),
                        incident,
                        job.attempt() + 1,
                        fingerprint,
                        all == null ? "[]" : all,
                        shown(failure),
                        details),
                Duration.ZERO);
    }

    /** Another attempt follows; the queue is looked at when it is due. */
    void retry(String reason, Failure failure, Verdict.Retry next, @Nullable String options, @Nullable String details) {
        Duration delay = next.delay();
        Integer limit = next.maxAttempts();
        notes.add(new ActivityAttemptFailed(
                0,
                now(),
                seq(),
                job.attempt(),
                reason,
                failure,
                now().plus(delay),
                0,
                limit == null ? null : limit - job.attempt()));
        String all = notes.json();
        end(
                new JobUpdate.Retry(
                        job.key(),
                        job.lease(),
                        delay,
                        job.attempt() + 1,
                        all == null ? "[]" : all,
                        shown(failure),
                        details,
                        options),
                delay);
    }

    /** Given back: no attempt is used. */
    void release(Duration delay, @Nullable String details) {
        end(new JobUpdate.Release(job.key(), job.lease(), delay, details), delay);
    }

    /** Left to whoever has its token. */
    void detach(Duration left, @Nullable Duration silence, @Nullable String details, int revision) {
        host.reports()
                .end(
                        new JobUpdate.Detach(job.key(), job.lease(), notes.json(), details, left, silence, revision),
                        () -> {});
    }

    private void end(JobUpdate update, Duration delay) {
        host.reports().end(update, () -> host.deadlines().in(delay, queue::nudge));
    }

    private void note(String reason, Failure failure, @Nullable Instant nextAttemptAt) {
        notes.add(new ActivityAttemptFailed(0, now(), seq(), job.attempt(), reason, failure, nextAttemptAt, 0));
    }

    private void settle(HistoryEvent.Inbound event) {
        host.reports()
                .settle(new AttemptOutcome(
                        job,
                        message(event),
                        heartbeats.getAsBoolean(),
                        host.reports().local(),
                        () -> host.leases().remove(job.lease())));
    }

    private InboxMessage message(HistoryEvent.Inbound event) {
        return new InboxMessage(
                job.lease(),
                MessageKind.ACTIVITY_OUTCOME,
                event.type(),
                EventJson.attributes(event),
                notes.all(),
                null);
    }

    private @Nullable LocalCall call() {
        return host.reports().local() ? new LocalCall(job.activity(), new Payload(job.input())) : null;
    }

    /** Short, and only of characters that every database can keep. */
    static String shown(Failure failure) {
        String message = failure.message() == null ? failure.type() : failure.type() + ": " + failure.message();
        return message.codePoints()
                .limit(LAST_FAILURE_CHARS)
                .map(c -> c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) ? 0xFFFD : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    /** This attempt's, or those it found. */
    private @Nullable Payload lastDetails(@Nullable String own) {
        String details = own == null ? job.heartbeatDetails() : own;
        return details == null ? null : new Payload(details);
    }

    private int seq() {
        return job.key().seq();
    }

    private Instant now() {
        return host.deadlines().clock().now();
    }

    private String identity() {
        return host.surroundings().identity();
    }
}
