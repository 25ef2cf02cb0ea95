package dev.durable.store;

import dev.durable.DurableException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown where the answer to COMMIT never came, or a statement after it failed, so that it is unknown whether a batch
 * was written as a whole or not at all. {@link HistoryStore#readBack} finds out, by the fences of the runs.
 */
public class CommitUnknownException extends DurableException {
    private static final long serialVersionUID = 1L;

    public CommitUnknownException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
