package dev.durable;

/**
 * The lambda that tells a client which method to call and with which arguments, where no result is asked for, such as
 * {@code w -> w.approve("ann")} for a signal. Durable runs the lambda on an empty object, as it does with a {@link Call}.
 *
 * @param <T> the workflow or activity type it is a call of
 */
@FunctionalInterface
public interface VoidCall<T> {
    /** Makes exactly one call on the target. */
    void on(T target) throws Exception;
}
