package dev.durable;

import org.jspecify.annotations.Nullable;

/** Thrown by an activity: ends its retries at once, whatever the policy says. */
public class NonRetryableException extends DurableException {
    private static final long serialVersionUID = 1L;

    public NonRetryableException(String message) {
        super(message);
    }

    public NonRetryableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
