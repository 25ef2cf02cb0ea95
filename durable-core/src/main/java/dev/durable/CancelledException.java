package dev.durable;

import org.jspecify.annotations.Nullable;

/** The run, or the part of it that waits here, was cancelled. The message says by whom and why. */
public class CancelledException extends DurableException {
    private static final long serialVersionUID = 1L;

    public CancelledException(String message) {
        super(message);
    }

    public CancelledException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
