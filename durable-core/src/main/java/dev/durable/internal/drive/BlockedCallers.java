package dev.durable.internal.drive;

import dev.durable.CallInterruptedException;
import dev.durable.StoreUnavailableException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Lets client threads wait for futures of the engine, with time limits, and wakes them when the engine closes.
 * Thread-safe.
 */
public final class BlockedCallers {
    private final Set<Wait<?>> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * The wait of one thread, for a copy of the future: other threads may wait for that future, so no wait may end it.
     */
    private static final class Wait<T extends @Nullable Object> {
        private final CompletableFuture<T> copy;

        Wait(CompletableFuture<T> future) {
            this.copy = future.copy();
        }

        void close() {
            copy.completeExceptionally(new Closed());
        }
    }

    /** Ends a wait when the engine closes; not seen outside. */
    private static final class Closed extends Exception {
        Closed() {
            super(null, null, false, false);
        }
    }

    /**
     * Blocks until the future is done.
     *
     * @param timeout null waits for ever, zero or less does not wait
     * @throws StoreUnavailableException when the engine is closed and the future is not done
     */
    <T extends @Nullable Object> T await(CompletableFuture<T> future, @Nullable Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (future.isDone()) {
            return future.get();
        }
        if (timeout != null && !timeout.isPositive() && !closed) {
            throw notDoneWithin(timeout);
        }
        Wait<T> wait = new Wait<>(future);
        waiting.add(wait);
        try {
            // Checked after the wait was added: either close() has seen this wait, or this thread sees that the engine
            // is closed.
            if (closed) {
                wait.close();
            }
            return timeout == null
                    ? wait.copy.get()
                    : wait.copy.get(Jitter.bounded(timeout).toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            if (future.isDone()) {
                return future.get();
            }
            throw notDoneWithin(timeout);
        } catch (ExecutionException e) {
            // A failure of the future is thrown as the future itself throws it; a close does not end a wait for a
            // future that was done just before.
            if (!(e.getCause() instanceof Closed) || future.isDone()) {
                return future.get();
            }
            throw engineIsClosed();
        } finally {
            waiting.remove(wait);
        }
    }

    private static TimeoutException notDoneWithin(@Nullable Duration timeout) {
        return new TimeoutException("not done within " + timeout);
    }

    /** Returns how many threads wait. */
    int size() {
        return waiting.size();
    }

    /** Makes waits for futures that are not done fail from now on, as the engine is closed. */
    void close() {
        closed = true;
        waiting.forEach(Wait::close);
    }

    /**
     * Returns the exception for a caller whose thread was interrupted while it waited; sets the thread's interrupt flag
     * again.
     */
    public static CallInterruptedException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new CallInterruptedException(
                "the calling thread was interrupted while it waited; what was sent may still happen. Usual cause: the"
                        + " application shuts down, or a framework cancels the request. The thread's interrupt flag is"
                        + " set.",
                e);
    }

    /** Returns the exception for waits on a closed engine. */
    public static StoreUnavailableException engineIsClosed() {
        return new StoreUnavailableException(
                "the engine was closed while this waited for it, or before. What was sent may have happened or not:"
                        + " look with the client of another engine, or of this process when it runs again. Usual cause:"
                        + " a thread that goes on using the client while the application shuts down.");
    }
}
