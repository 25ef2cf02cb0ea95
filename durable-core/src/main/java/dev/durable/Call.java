package dev.durable;

/**
 * A call written as a lambda, {@code w -> w.run(order)}: recorded, never run.
 *
 * @param <T> the workflow or activity type it is a call of
 * @param <R> what the called method returns
 */
@FunctionalInterface
public interface Call<T, R> {
    /** Makes exactly one call on the target and returns its result untouched. */
    R on(T target) throws Exception;
}
