package dev.durable;

/**
 * The lambda that tells a client which update to call and with which arguments, where the update returns nothing. See
 * {@link UpdateCall}.
 *
 * @param <T> the workflow type it is a call of
 * @param <X> what the update throws
 */
@FunctionalInterface
public interface UpdateVoidCall<T, X extends Exception> {
    /** Makes exactly one call on the target. */
    void on(T target) throws X;
}
