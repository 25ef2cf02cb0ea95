package dev.durable.store;

import dev.durable.WorkflowStatus;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What became of a start. */
public sealed interface StartOutcome {
    /** The run exists now, or did already by an earlier send of the same start. */
    record Started(boolean resent) implements StartOutcome {}

    /**
     * A run of this workflow id is open; or, where a message is sent again, was open when it took that.
     *
     * @param type its workflow type
     * @param message what became of the {@linkplain NewRun#message message}: ACCEPTED, CLOSING or INBOX_FULL; null where
     *     there was none for this run
     */
    record AlreadyOpen(UUID runId, String type, Delivery.@Nullable Outcome message) implements StartOutcome {}

    /** The reuse policy refuses another run after the latest one. */
    record Refused(UUID latestRunId, WorkflowStatus latestStatus) implements StartOutcome {}

    /** Somebody keeps the workflow id locked, as by a start in a transaction of its own; nothing was written. */
    record Locked() implements StartOutcome {}
}
