package dev.durable.store;

import dev.durable.DurableException;
import org.jspecify.annotations.Nullable;

/**
 * The answer to COMMIT never came, or was an error of what followed it: the batch happened as a whole or not at all. The
 * fence tells (readBack).
 */
public class CommitUnknownException extends DurableException {
    private static final long serialVersionUID = 1L;

    public CommitUnknownException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
