package dev.durable;

import org.jspecify.annotations.Nullable;

/**
 * The body of a saga, which lets its checked exception through.
 *
 * @param <T> the type of the value that it returns
 * @param <X> the type of the exception that it throws
 */
@FunctionalInterface
public interface SagaBody<T extends @Nullable Object, X extends Exception> {
    /** Runs on a coroutine of its own, for which the caller of {@link Durable#saga} waits. */
    T run(Saga saga) throws X;
}
