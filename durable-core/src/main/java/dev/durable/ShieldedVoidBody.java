package dev.durable;

/**
 * A block that runs inline, returns nothing and lets its checked exception through.
 *
 * @param <X> what it throws
 */
@FunctionalInterface
public interface ShieldedVoidBody<X extends Exception> {
    /** Runs on the coroutine that called. */
    void run() throws X;
}
