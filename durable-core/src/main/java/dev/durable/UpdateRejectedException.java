package dev.durable;

import dev.durable.history.Failure;
import org.jspecify.annotations.Nullable;

/**
 * An update was not accepted: its validator threw an exception, its arguments could not be read, or the run's code has
 * no update of that name. The run has seen nothing of it, and its history has no event of it; the same update id may be
 * sent again.
 */
public final class UpdateRejectedException extends UpdateFailedException {
    private static final long serialVersionUID = 1L;

    public UpdateRejectedException(
            String message, String workflowId, String updateId, @Nullable Failure failure, @Nullable Throwable cause) {
        super(message, workflowId, updateId, failure, cause);
    }
}
