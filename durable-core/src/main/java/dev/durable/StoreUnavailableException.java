package dev.durable;

import org.jspecify.annotations.Nullable;

/**
 * The database of the history store does not answer or refuses, so a call could not be done. Nothing acknowledged is
 * lost; an unanswered call may or may not have happened.
 */
public class StoreUnavailableException extends DurableException {
    private static final long serialVersionUID = 1L;

    public StoreUnavailableException(String message) {
        super(message);
    }

    public StoreUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
