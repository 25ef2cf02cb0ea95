package dev.durable;

import org.jspecify.annotations.Nullable;

/**
 * The body of a coroutine, of a shielded block, of a saga.
 *
 * @param <T> what it returns
 */
@FunctionalInterface
public interface Body<T extends @Nullable Object> {
    /** Runs on the workflow's own coroutine. */
    T run() throws Exception;
}
