package dev.durable;

import org.jspecify.annotations.Nullable;

/**
 * A promise that the run's own code completes: {@link Durable#newPromise(Class)}. Usually a handler completes it and
 * {@code run} waits for it. It stands for no work, so the end or the cancellation of the coroutine that made it does
 * not change it; {@link #cancel} does. Nothing of it is recorded: on replay the same code completes it again at the
 * same place.
 *
 * <p>For use on the coroutines of its run only. The first of {@code complete}, {@code fail} and {@code cancel} wins. A
 * coroutine that waits for it goes on when the caller waits or ends.
 *
 * @param <T> the type of its result
 */
public interface CompletablePromise<T extends @Nullable Object> extends Promise<T> {

    /**
     * Gives the promise its result. The value stays in memory and is not serialised.
     *
     * @return whether this call ended the promise; false where it had a result or a failure before
     * @throws UsageException where the value is not of the type that the promise was made for
     */
    boolean complete(T value);

    /**
     * Lets the promise fail. {@link #get()} throws the failure as for any promise: an unchecked one as it is, a checked
     * one as the cause of a {@link PromiseFailedException}, and {@code get(type)} the exception itself.
     *
     * @return whether this call ended the promise; false where it had a result or a failure before
     */
    boolean fail(Throwable failure);
}
