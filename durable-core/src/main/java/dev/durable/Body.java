package dev.durable;

import org.jspecify.annotations.Nullable;

/**
 * A block of workflow code that returns a value and may throw: the body of a coroutine, of a shielded block or of an
 * undo.
 *
 * @param <T> what it returns
 */
@FunctionalInterface
public interface Body<T extends @Nullable Object> {
    /** Runs on the workflow's own coroutine. */
    T run() throws Exception;
}
