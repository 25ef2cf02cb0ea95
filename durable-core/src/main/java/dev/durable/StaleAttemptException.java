package dev.durable;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when an attempt reports something and is not the current one any more (it timed out, was cancelled, or its
 * worker was declared dead); nothing was written.
 */
public class StaleAttemptException extends DurableException {
    private static final long serialVersionUID = 1L;

    public StaleAttemptException(String message) {
        super(message);
    }

    public StaleAttemptException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
