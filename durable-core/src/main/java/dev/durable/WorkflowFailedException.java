package dev.durable;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.Failure;
import org.jspecify.annotations.Nullable;

/**
 * A run closed without a result: failed, timed out, cancelled or terminated. The cause is the exception itself where
 * its type is named by the signature of {@code @Run}, else as data.
 */
public class WorkflowFailedException extends DurableException {
    private static final long serialVersionUID = 1L;

    private final String workflowId;
    private final WorkflowStatus status;
    private final transient @Nullable Failure failure;

    public WorkflowFailedException(
            String message,
            String workflowId,
            WorkflowStatus status,
            @Nullable Failure failure,
            @Nullable Throwable cause) {
        super(message, cause);
        this.workflowId = workflowId;
        this.status = status;
        this.failure = failure;
    }

    /** The workflow id. */
    public String workflowId() {
        return workflowId;
    }

    /** How the run closed. */
    public WorkflowStatus status() {
        return status;
    }

    /** The failure as data, where there is one. */
    public @Nullable Failure failure() {
        return failure;
    }
}
