package dev.durable.client;

import dev.durable.UpdateFailedException;
import dev.durable.WaitTimedOutException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A reference to one update of one run. Thread-safe; holds no resources.
 *
 * @param <R> what the update returns
 */
public interface UpdateHandle<R extends @Nullable Object> {
    /** The update's id, by which another process finds it again. */
    String id();

    /** The workflow id of its run. */
    String workflowId();

    /** Its run. */
    UUID runId();

    /**
     * Waits for the answer. An exception that the handler's signature names is thrown as itself, though this method does
     * not declare it.
     *
     * @throws UpdateFailedException when the handler threw another exception, the update was rejected, or the run ended
     *     before it answered
     */
    R result();

    /**
     * Waits at most that long; the update goes on.
     *
     * @throws WaitTimedOutException when there is no answer then; its message says what the run waits for
     */
    R result(Duration timeout);

    /** The answer when it comes, without a waiting thread. Callbacks run on the common pool: they may use the client. */
    CompletableFuture<R> resultAsync();
}
