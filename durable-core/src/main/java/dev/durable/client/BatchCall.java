package dev.durable.client;

/**
 * One call of an activity for one item of a batch, as a lambda: {@code (emails, address) -> emails.send(address)}.
 *
 * @param <A> the activity type
 * @param <T> items
 */
@FunctionalInterface
public interface BatchCall<A, T> {
    /** Makes exactly one call on the activity. */
    void on(A activity, T item) throws Exception;
}
