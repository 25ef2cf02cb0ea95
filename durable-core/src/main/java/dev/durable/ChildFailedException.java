package dev.durable;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.Failure;
import org.jspecify.annotations.Nullable;

/**
 * A child ended without a result: it failed with something that its run method does not name, it ran out of a timeout, it
 * was terminated, or it was not started ({@link ChildNotStartedException}). Carries the failure as data.
 *
 * <p>An exception type that the child's run method names in its {@code throws} comes back as itself, and this exception
 * is then its suppressed one. A child that ended cancelled throws {@link CancelledException}.
 */
public class ChildFailedException extends DurableException {
    private static final long serialVersionUID = 1L;

    private final String workflowId;
    private final String workflowType;
    private final WorkflowStatus status;
    private final transient @Nullable Failure failure;

    public ChildFailedException(
            String message,
            String workflowId,
            String workflowType,
            WorkflowStatus status,
            @Nullable Failure failure,
            @Nullable Throwable cause) {
        super(message, cause);
        this.workflowId = workflowId;
        this.workflowType = workflowType;
        this.status = status;
        this.failure = failure;
    }

    /** The workflow id of the child. */
    public String workflowId() {
        return workflowId;
    }

    /** The workflow type of the child. */
    public String workflowType() {
        return workflowType;
    }

    /** How the child ended: FAILED, TIMED_OUT or TERMINATED. */
    public WorkflowStatus status() {
        return status;
    }

    /** The exception that the child threw, as data: type name, message, stack, causes. */
    public @Nullable Failure failure() {
        return failure;
    }
}
