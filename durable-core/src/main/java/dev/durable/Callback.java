package dev.durable;

import dev.durable.client.CallbackHandle;
import dev.durable.client.DurableClient;
import org.jspecify.annotations.Nullable;

/**
 * A result that comes from outside: {@link Durable#callback(Class, java.time.Duration)}. The workflow hands the token to
 * another system, by an activity for example, and waits for the promise. The holder of the token completes the callback,
 * lets it fail or gives it more time: {@link DurableClient#callback(String)}.
 *
 * <p>For use on the coroutines of its run only.
 *
 * @param <T> the type of the result
 */
public interface Callback<T extends @Nullable Object> {

    /**
     * The promise of the result. It fails with {@link CallbackFailedException} if the callback was made to fail or was
     * completed with a value that is not of the type, with {@link WaitTimedOutException} if it was not completed in time,
     * and with {@link CancelledException} if it was cancelled: by {@link Promise#cancel()}, or with the coroutine that
     * opened it.
     */
    Promise<T> promise();

    /**
     * The text that names the callback for {@link DurableClient#callback(String)}: letters, digits, {@code -} and {@code
     * _}, fit for URLs and headers. It can't be guessed, and whoever knows it may complete the callback, so hand it on
     * as a password. It is the same on replay.
     *
     * @see CallbackHandle
     */
    String token();
}
