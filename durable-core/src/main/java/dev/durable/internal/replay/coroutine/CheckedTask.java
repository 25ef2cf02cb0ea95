package dev.durable.internal.replay.coroutine;

import org.jspecify.annotations.Nullable;

/** A function that may throw any exception. */
@FunctionalInterface
public interface CheckedTask<T extends @Nullable Object> {
    T run() throws Throwable;
}
