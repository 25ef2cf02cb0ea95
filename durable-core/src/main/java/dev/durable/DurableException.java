package dev.durable;

import org.jspecify.annotations.Nullable;

/** The root of every exception that Durable itself throws. */
public class DurableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public DurableException(String message) {
        super(message);
    }

    public DurableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
