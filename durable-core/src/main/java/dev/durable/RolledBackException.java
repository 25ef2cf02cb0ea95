package dev.durable;

import org.jspecify.annotations.Nullable;

/**
 * The database rolled a transaction back for the sake of another one, as it does to end a deadlock: nothing of it happened,
 * and the same may succeed when it is done again. Thrown where the store has tried again in vain, and where it can't
 * try again: in a transaction that the caller or a framework began, which is lost as a whole.
 */
public class RolledBackException extends StoreUnavailableException {
    private static final long serialVersionUID = 1L;

    public RolledBackException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
