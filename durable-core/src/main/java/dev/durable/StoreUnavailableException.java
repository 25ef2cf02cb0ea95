package dev.durable;

import org.jspecify.annotations.Nullable;

/** The history store does not answer. Nothing acknowledged is lost; an unanswered call may or may not have happened. */
public class StoreUnavailableException extends DurableException {
    private static final long serialVersionUID = 1L;

    public StoreUnavailableException(String message) {
        super(message);
    }

    public StoreUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
