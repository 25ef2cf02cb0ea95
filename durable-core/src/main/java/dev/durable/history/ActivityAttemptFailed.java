package dev.durable.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An attempt of an activity failed and another follows or followed; also written where a worker could not read the job,
 * or an outage ended the transaction of the body (no attempt is used then).
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 * @param attempt the attempt, from 1
 * @param reason failed, timed out, worker lost; not read: a worker could not read the job, no attempt was made;
 *     outage: the transaction of its body was ended from outside, and no attempt was used; or
 *     discarded: none follows, the activity ended as if it had returned null
 * @param failure what it threw
 * @param nextAttemptAt when the next one may start; where it was not read, when a worker could read it
 * @param omitted attempts before this one that are not listed
 * @param remainingAttempts how many may follow, where the failure said so; null is by the policy
 */
public record ActivityAttemptFailed(
        long id,
        Instant at,
        int seq,
        int attempt,
        String reason,
        @Nullable Failure failure,
        @Nullable Instant nextAttemptAt,
        int omitted,
        @Nullable Integer remainingAttempts)
        implements HistoryEvent.Informing {

    /** A failed attempt whose activity goes on as its policy says. */
    public ActivityAttemptFailed(
            long id,
            Instant at,
            int seq,
            int attempt,
            String reason,
            @Nullable Failure failure,
            @Nullable Instant nextAttemptAt,
            int omitted) {
        this(id, at, seq, attempt, reason, failure, nextAttemptAt, omitted, null);
    }
}
