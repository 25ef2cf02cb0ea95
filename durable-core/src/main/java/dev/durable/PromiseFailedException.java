package dev.durable;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by {@link Promise#get()} where a coroutine failed with a checked exception, which is its cause. {@code
 * get(CardDeclined.class)} gives that exception as it is. Thrown by {@link MapResult#throwIfFailed} and {@link
 * Saga#undo}, too.
 */
public class PromiseFailedException extends DurableException {
    private static final long serialVersionUID = 1L;

    public PromiseFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
