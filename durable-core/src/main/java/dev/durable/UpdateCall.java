package dev.durable;

import org.jspecify.annotations.Nullable;

/**
 * The lambda that tells a client which update to call and with which arguments, such as {@code w ->
 * w.changeAddress(next)}. Durable runs the lambda on an empty object, as it does with a {@link Call}; the exceptions that
 * the handler declares are those of the client's call.
 *
 * @param <T> the workflow type it is a call of
 * @param <R> what the update returns
 * @param <X> what the update throws
 */
@FunctionalInterface
public interface UpdateCall<T, R extends @Nullable Object, X extends Exception> {
    /** Makes exactly one call on the target and returns its result untouched. */
    R on(T target) throws X;
}
