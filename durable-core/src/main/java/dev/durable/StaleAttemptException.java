package dev.durable;

import org.jspecify.annotations.Nullable;

/** NOT_FOUND: the attempt is no longer the current one (timed out, cancelled, or its worker was taken for dead); nothing was written. */
public class StaleAttemptException extends DurableException {
    private static final long serialVersionUID = 1L;

    public StaleAttemptException(String message) {
        super(message);
    }

    public StaleAttemptException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
