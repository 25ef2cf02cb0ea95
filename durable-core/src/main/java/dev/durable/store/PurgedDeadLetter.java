package dev.durable.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
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
        String why = "nobody resolved this dead letter in the time and number that dead letters are kept for"
                + (lastFailure == null ? "" : ". Its last failure: " + lastFailure);
        String attributes = "{\"seq\":" + key.seq() + ",\"attempt\":" + Math.max(1, nextAttempt - 1)
                + ",\"failure\":{\"type\":\"dev.durable.DeadLetterPurged\",\"message\":" + JsonText.quoted(why) + "}}";
        String note = "{\"type\":\"IncidentResolved\",\"at\":\"" + now.truncatedTo(ChronoUnit.MICROS)
                + "\",\"attributes\":{\"informing\":true,\"seq\":" + key.seq()
                + ",\"resolution\":\"purged\",\"by\":\"retention\",\"reason\":\"\"}}";
        return new InboxMessage(
                CancelledIdleJob.messageId(key),
                MessageKind.ACTIVITY_OUTCOME,
                "ActivityFailed",
                attributes,
                JobNotes.with(notes, note),
                null);
    }
}
