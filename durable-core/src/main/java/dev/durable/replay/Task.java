package dev.durable.replay;

import org.jspecify.annotations.Nullable;

/** Something to do that throws what it likes. */
@FunctionalInterface
interface Task<T extends @Nullable Object> {
    T run() throws Throwable;
}
