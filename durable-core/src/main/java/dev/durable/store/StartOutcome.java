package dev.durable.store;

import dev.durable.WorkflowStatus;
import java.util.UUID;

/** What became of a start. */
public sealed interface StartOutcome {
    /** The run exists now, or did already by an earlier send of the same start. */
    record Started(boolean resent) implements StartOutcome {}

    /** A run of this workflow id is open. */
    record AlreadyOpen(UUID runId) implements StartOutcome {}

    /** The reuse policy refuses another run after the latest one. */
    record Refused(UUID latestRunId, WorkflowStatus latestStatus) implements StartOutcome {}

    /** Somebody keeps the workflow id locked, as by a start in a transaction of its own; nothing was written. */
    record Locked() implements StartOutcome {}
}
