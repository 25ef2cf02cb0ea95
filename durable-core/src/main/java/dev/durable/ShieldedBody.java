package dev.durable;

import org.jspecify.annotations.Nullable;

/**
 * A block that runs inline and lets its checked exception through.
 *
 * @param <T> what it returns
 * @param <X> what it throws
 */
@FunctionalInterface
public interface ShieldedBody<T extends @Nullable Object, X extends Exception> {
    /** Runs on the coroutine that called. */
    T run() throws X;
}
