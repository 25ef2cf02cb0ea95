package dev.durable;

/**
 * The lambda that tells a client which method to call and with which arguments, such as {@code w -> w.run(order)} in
 * {@code client.start}. Durable runs the lambda on an empty object, which records the call and runs nothing of the
 * method.
 *
 * @param <T> the workflow or activity type it is a call of
 * @param <R> what the called method returns
 */
@FunctionalInterface
public interface Call<T, R> {
    /** Makes exactly one call on the target and returns its result untouched. */
    R on(T target) throws Exception;
}
