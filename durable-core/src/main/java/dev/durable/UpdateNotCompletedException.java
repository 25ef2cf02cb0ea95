package dev.durable;

import dev.durable.client.WorkflowStatus;
import org.jspecify.annotations.Nullable;

/**
 * The run ended before it answered an update. If the update was accepted, its handler has run in part: it was abandoned
 * by the end of the run, or the run was terminated or timed out. If not, the run has seen nothing of it. The cause tells
 * how the run ended where it ended without a result.
 */
public final class UpdateNotCompletedException extends UpdateFailedException {
    private static final long serialVersionUID = 1L;

    private final boolean accepted;
    private final WorkflowStatus status;

    public UpdateNotCompletedException(
            String message,
            String workflowId,
            String updateId,
            boolean accepted,
            WorkflowStatus status,
            @Nullable Throwable cause) {
        super(message, workflowId, updateId, null, cause);
        this.accepted = accepted;
        this.status = status;
    }

    /** Returns true if the run had accepted the update before it ended. */
    public boolean accepted() {
        return accepted;
    }

    /** How the run closed; {@link WorkflowStatus#RUNNING} where it is still cleaning up, with its result fixed. */
    public WorkflowStatus status() {
        return status;
    }
}
