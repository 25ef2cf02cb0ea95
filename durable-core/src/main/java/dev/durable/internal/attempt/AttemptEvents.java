package dev.durable.internal.attempt;

import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityCancelled;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.Failure;
import dev.durable.history.IncidentRaised;
import dev.durable.history.LocalCall;
import dev.durable.history.Payload;
import dev.durable.history.TimeoutType;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Builds the history events with which one attempt of an activity can end.
 *
 * @param seq the activity's number in the run
 * @param attempt the attempt
 * @param id the id of the message that brings the end
 * @param now the time of the events
 * @param identity the name of this process
 * @param call the call of a local activity; null for a job
 */
record AttemptEvents(
        int seq,
        int attempt,
        UUID id,
        Instant now,
        String identity,
        @Nullable LocalCall call) {

    ActivityCompleted completed(Payload result, Instant startedAt) {
        return new ActivityCompleted(0, now, seq, attempt, id, result, startedAt, identity, call);
    }

    ActivityFailed failed(Failure failure) {
        return new ActivityFailed(0, now, seq, attempt, id, failure, identity, call);
    }

    ActivityTimedOut timedOut(TimeoutType timeout, @Nullable String details) {
        return new ActivityTimedOut(0, now, seq, attempt, id, timeout, payload(details), call);
    }

    ActivityCancelled cancelled(@Nullable String details) {
        return new ActivityCancelled(0, now, seq, attempt, id, payload(details), call);
    }

    /** Returns the event of a failed attempt that another attempt follows. */
    ActivityAttemptFailed followed(AttemptResult.Again again) {
        AttemptResult.Again.Limited limited = again.limited();
        return new ActivityAttemptFailed(
                0,
                now,
                seq,
                attempt,
                again.reason(),
                again.failure(),
                now.plus(again.delay()),
                0,
                limited == null ? null : limited.remainingAttempts());
    }

    /** Returns the event of a failed attempt that no other attempt follows. */
    ActivityAttemptFailed last(String reason, Failure failure) {
        return new ActivityAttemptFailed(0, now, seq, attempt, reason, failure, null, 0);
    }

    IncidentRaised raised(AttemptResult.Buried buried, int crashes, String fingerprint) {
        return new IncidentRaised(
                0,
                now,
                seq,
                attempt,
                buried.incident() ? "incident" : "dead letter",
                buried.reason(),
                buried.failure(),
                crashes,
                fingerprint);
    }

    private static @Nullable Payload payload(@Nullable String details) {
        return details == null ? null : new Payload(details);
    }
}
