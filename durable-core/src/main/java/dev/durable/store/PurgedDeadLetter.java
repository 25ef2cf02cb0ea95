package dev.durable.store;

import dev.durable.history.ActivityFailed;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.InboxMessage;
import dev.durable.history.IncidentResolved;
import dev.durable.history.JobNotes;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Builds the outcome of a dead letter whose retention is over, which the store writes itself, as it does {@link
 * CancelledIdleJob}, so that the end of the dead letter stands in the history of its run.
 */
public final class PurgedDeadLetter {
    private PurgedDeadLetter() {}

    /**
     * The failure for the run's inbox. Its message id is the one that the cancellation of the job would have, so that a
     * job that ends without a worker gives one message.
     *
     * @param key the job
     * @param nextAttempt the attempt that an operator could have allowed
     * @param lastFailure the failure of its last attempt
     * @param now when it is purged
     * @param notes its informing events; null without
     */
    public static InboxMessage outcome(
            JobKey key, int nextAttempt, @Nullable String lastFailure, Instant now, @Nullable String notes) {
        String why = "no operator resolved this dead letter in the time and number that dead letters are kept for"
                + (lastFailure == null ? "" : ". Its last failure: " + lastFailure);
        UUID id = CancelledIdleJob.messageId(key);
        ActivityFailed failed = new ActivityFailed(
                0,
                Instant.EPOCH,
                key.seq(),
                Math.max(1, nextAttempt - 1),
                id,
                Failure.of("dev.durable.DeadLetterPurged", why),
                "");
        IncidentResolved purged =
                new IncidentResolved(0, now.truncatedTo(ChronoUnit.MICROS), key.seq(), "purged", "retention", "");
        return EventJson.outcome(id, failed, JobNotes.with(notes, EventJson.note(purged)));
    }
}
