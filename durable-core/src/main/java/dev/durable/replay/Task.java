package dev.durable.replay;

import org.jspecify.annotations.Nullable;

/** A function that may throw anything. */
@FunctionalInterface
interface Task<T extends @Nullable Object> {
    T run() throws Throwable;
}
