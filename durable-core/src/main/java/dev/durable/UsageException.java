package dev.durable;

import org.jspecify.annotations.Nullable;

/**
 * Durable was called where or how it can't be: outside the workflow's own coroutines, in a condition, in a constructor,
 * with options that don't fit. A mistake of the code, which only other code can mend: a run whose code throws it,
 * itself or as a cause, does not fail but stalls, and goes on when code is deployed that fits.
 */
public class UsageException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }

    public UsageException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
