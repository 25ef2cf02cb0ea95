package dev.durable.internal.drive;

import dev.durable.StoreUnavailableException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Lets client threads wait for futures of the engine, with time limits, and wakes them when the engine closes.
 * Thread-safe.
 *
 * <p>No wait has a timer of its own: a timed sleep of a virtual thread wakes the scheduler's timer thread when it begins
 * and when it ends, and a client makes two waits a run. Limits are kept in {@link Deadlines}, which wakes nobody unless
 * the new one is the first.
 */
public final class BlockedCallers {
    private final Deadlines limits;
    private final Set<Wait<?>> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** A thread's wait: for a copy of the future, which may have others who wait and is not theirs to be ended by us. */
    private static final class Wait<T extends @Nullable Object> {
        private final CompletableFuture<T> copy;

        Wait(CompletableFuture<T> future) {
            this.copy = future.copy();
        }

        void giveUp(Why why) {
            copy.completeExceptionally(new GivenUp(why));
        }
    }

    private enum Why {
        TIME_OVER,
        CLOSED
    }

    /** Ends a wait; not seen outside. */
    private static final class GivenUp extends Exception {
        private final Why why;

        GivenUp(Why why) {
            super(null, null, false, false);
            this.why = why;
        }
    }

    BlockedCallers(Deadlines limits) {
        this.limits = limits;
    }

    /**
     * Blocks until the future is done.
     *
     * @param timeout null waits for ever, zero or less only looks
     * @throws StoreUnavailableException when the engine is closed, and the future not done
     */
    <T extends @Nullable Object> T await(CompletableFuture<T> future, @Nullable Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (future.isDone()) {
            return future.get();
        }
        if (timeout != null && !timeout.isPositive() && !closed) {
            throw new TimeoutException("not done within " + timeout);
        }
        Wait<T> wait = new Wait<>(future);
        Deadlines.Deadline limit = timeout == null ? null : limits.in(timeout, () -> wait.giveUp(Why.TIME_OVER));
        waiting.add(wait);
        try {
            // Checked after it was added: either close() has seen this wait, or this thread sees that it is closed.
            if (closed) {
                wait.giveUp(Why.CLOSED);
            }
            return wait.copy.get();
        } catch (ExecutionException e) {
            // Not given up: as the future itself tells it. Nor is a wait given up for what was done just before.
            if (!(e.getCause() instanceof GivenUp given) || future.isDone()) {
                return future.get();
            }
            if (given.why == Why.TIME_OVER) {
                throw new TimeoutException("not done within " + timeout);
            }
            throw nobodyWorks();
        } finally {
            waiting.remove(wait);
            limits.cancel(limit);
        }
    }

    /** How many threads wait. */
    int size() {
        return waiting.size();
    }

    /** The engine is closed: waits for anything that is not done fail from now on. */
    void close() {
        closed = true;
        waiting.forEach(wait -> wait.giveUp(Why.CLOSED));
    }

    /** The message for waits on a closed engine. */
    public static StoreUnavailableException nobodyWorks() {
        return new StoreUnavailableException(
                "the engine was closed while this waited for it, or before. What was sent may have happened or not:"
                        + " look with the client of another engine, or of this process when it runs again. Usual cause:"
                        + " a thread that goes on using the client while the application shuts down.");
    }
}
