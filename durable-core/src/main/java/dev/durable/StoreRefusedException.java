package dev.durable;

import org.jspecify.annotations.Nullable;

/**
 * The database refuses to store something, and would refuse it each time: a character that it can't keep, a value that is too
 * large or too deep for it, a check or a trigger that the application has put on a table of Durable. Nothing of it was written.
 * Sending it again is of no use before its cause is mended. Thrown by calls that write: starts, signals, completions by hand.
 * As the failure of an activity it stands for an outcome that the database refused.
 */
public class StoreRefusedException extends DurableException {
    private static final long serialVersionUID = 1L;

    public StoreRefusedException(String message) {
        super(message);
    }

    public StoreRefusedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
