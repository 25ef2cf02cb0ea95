package dev.durable.store;

import dev.durable.history.InboxMessage;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message addressed to the inbox of a run.
 *
 * @param workflowId to the current run of this workflow id
 * @param runId to exactly this run; null is the current one
 * @param message the message
 * @param actor the name of the operator whose request to cancel is to stand in the audit; null writes no row there
 */
public record Delivery(
        String workflowId,
        @Nullable UUID runId,
        InboxMessage message,
        @Nullable String actor) {
    /** The name of a request to cancel in the audit. */
    public static final String CANCEL = "cancel run";

    /** A delivery without a row in the audit. */
    public Delivery(String workflowId, @Nullable UUID runId, InboxMessage message) {
        this(workflowId, runId, message, null);
    }

    /** The result of a delivery. */
    public enum Outcome {
        /**
         * Durable in the inbox, now or by an earlier send of the same message. Also where the run, or the latest run of
         * the workflow id, is closed and has the message in its history. A message sent again after the open run
         * consumed it goes into the inbox again: the run drops ids that its history has.
         */
        ACCEPTED,
        /** There is no such run, or it is closed. */
        NOT_FOUND,
        /** The run is about to close; nothing was written, send again. */
        CLOSING,
        /** The inbox is at its limit of messages; outcomes of activities are never refused. */
        INBOX_FULL,
        /** The inbox is at its limit of bytes. */
        INBOX_TOO_LARGE,
        /** The run's row is locked by another transaction; nothing was written, send the message again, alone. */
        LOCKED
    }
}
