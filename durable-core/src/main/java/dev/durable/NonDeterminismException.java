package dev.durable;

import org.jspecify.annotations.Nullable;

/** Replaying the history gave other commands than the history has; the message shows both and the source line. */
public class NonDeterminismException extends DurableException {
    private static final long serialVersionUID = 1L;

    public NonDeterminismException(String message) {
        super(message);
    }

    public NonDeterminismException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
