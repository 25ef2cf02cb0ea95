package dev.durable;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of an at-most-once activity is unknown: its worker was lost, or shut down, while its body may have run.
 * It is not tried again. Stands as the type of the failure in {@link ActivityFailedException#failure()}.
 */
public class OutcomeUnknownException extends DurableException {
    private static final long serialVersionUID = 1L;

    public OutcomeUnknownException(String message) {
        super(message);
    }

    /** The cause is what the body threw after its worker had begun to shut down. */
    public OutcomeUnknownException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
