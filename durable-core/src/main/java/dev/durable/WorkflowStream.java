package dev.durable;

import dev.durable.client.WorkflowHandle;
import org.jspecify.annotations.Nullable;

/**
 * A stream of the workflow's chain as its code sees it, which writes and does not read: {@link Durable#stream(String,
 * Class)}. Readers: {@link WorkflowHandle#stream(String, Class)}.
 *
 * <p>For use on the coroutines of its run only.
 *
 * @param <T> the type of its values
 */
public interface WorkflowStream<T extends @Nullable Object> {

    /** The name of the stream. */
    String name();

    /**
     * Appends a value. Readers see it when the turn is committed, in the order of the calls; the call itself does not
     * wait. The value stands in the history.
     *
     * @throws UsageException if the value can't be written as its type, or is too large
     * @throws CancelledException if the calling coroutine is cancelled
     */
    void append(T value);
}
