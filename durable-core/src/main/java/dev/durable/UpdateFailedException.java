package dev.durable;

import dev.durable.history.Failure;
import org.jspecify.annotations.Nullable;

/**
 * An update ended without a result: its handler threw something that its signature does not name, it was rejected ({@link
 * UpdateRejectedException}), or its run ended before it was answered ({@link UpdateNotCompletedException}). Carries the
 * failure as data.
 *
 * <p>An exception type that the signature of the handler names comes back as itself and is caught as itself, {@code catch
 * (AddressUnknown e)}; this exception is then its suppressed one.
 */
public class UpdateFailedException extends DurableException {
    private static final long serialVersionUID = 1L;

    private final String workflowId;
    private final String updateId;
    private final transient @Nullable Failure failure;

    public UpdateFailedException(
            String message, String workflowId, String updateId, @Nullable Failure failure, @Nullable Throwable cause) {
        super(message, cause);
        this.workflowId = workflowId;
        this.updateId = updateId;
        this.failure = failure;
    }

    /** The workflow id of the run that got the update. */
    public String workflowId() {
        return workflowId;
    }

    /** The update's id. */
    public String updateId() {
        return updateId;
    }

    /** The exception of the handler or validator as data; null where there was none. */
    public @Nullable Failure failure() {
        return failure;
    }
}
