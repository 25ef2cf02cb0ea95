package dev.durable;

/**
 * The body of a saga that returns nothing, and lets its checked exception through.
 *
 * @param <X> the type of the exception that it throws
 */
@FunctionalInterface
public interface SagaVoidBody<X extends Exception> {
    /** Runs on a coroutine of its own, for which the caller of {@link Durable#sagaVoid} waits. */
    void run(Saga saga) throws X;
}
