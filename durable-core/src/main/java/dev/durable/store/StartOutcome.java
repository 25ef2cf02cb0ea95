package dev.durable.store;

import dev.durable.client.WorkflowStatus;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The result of a start: started, already open, or refused. */
public sealed interface StartOutcome {
    /** The run exists now, or existed already by an earlier send of the same start. */
    record Started(boolean resent) implements StartOutcome {}

    /**
     * A run of this workflow id is open; or, if a message is sent again, was open when it took the message.
     *
     * @param type its workflow type
     * @param message the result for the {@linkplain NewRun#message message}: ACCEPTED, CLOSING, INBOX_FULL or
     *     INBOX_TOO_LARGE; null if there was none for this run
     * @param activity the activity of a background job; null for any other run, and if it is not known
     * @param samePlace whether it is the run at the {@linkplain NewRun#place place} in a batch that was asked for
     */
    record AlreadyOpen(
            UUID runId,
            String type,
            Delivery.@Nullable Outcome message,
            @Nullable String activity,
            boolean samePlace) implements StartOutcome {

        /** A run that is no background job. */
        public AlreadyOpen(UUID runId, String type, Delivery.@Nullable Outcome message) {
            this(runId, type, message, null, false);
        }
    }

    /**
     * The reuse policy refuses another run after the latest one.
     *
     * @param samePlace whether the latest run is the one at the {@linkplain NewRun#place place} in a batch that was
     *     asked for
     */
    record Refused(UUID latestRunId, WorkflowStatus latestStatus, boolean samePlace) implements StartOutcome {

        /** The refusal of a start that has no place in a batch. */
        public Refused(UUID latestRunId, WorkflowStatus latestStatus) {
            this(latestRunId, latestStatus, false);
        }
    }

    /** The workflow id is locked, for instance by a start in a caller's open transaction; nothing was written. */
    record Locked() implements StartOutcome {}
}
