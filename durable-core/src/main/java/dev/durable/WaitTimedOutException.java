package dev.durable;

import org.jspecify.annotations.Nullable;

/** A wait with a timeout ran out before what it waited for happened. */
public class WaitTimedOutException extends DurableException {
    private static final long serialVersionUID = 1L;

    public WaitTimedOutException(String message) {
        super(message);
    }

    public WaitTimedOutException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
