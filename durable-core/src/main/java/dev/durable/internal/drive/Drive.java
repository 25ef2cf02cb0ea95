package dev.durable.internal.drive;

import dev.durable.store.RunKey;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the {@link Step}s of an engine and the bodies of its activities: on threads in production, by one pump on
 * virtual time in tests. Everything an engine does on its own happens in a step it was given, or in an activity body on
 * one of its executors.
 */
public interface Drive extends AutoCloseable {

    /** The kind of a step, which decides its thread. */
    enum Kind {
        /** The step talks to the store and keeps leases alive: it gets a platform thread. */
        IO,
        /** The step runs workflow code, which switches coroutines: it gets a virtual thread. */
        TURNS
    }

    /** Adds a step and returns the action that wakes it. A step that is added after the start runs from then on. */
    Runnable add(String name, Kind kind, Step step);

    /** Returns the executor on which the activity bodies of a queue run. */
    Executor activities(String taskQueue, boolean virtualThreads);

    /**
     * Reads the store for a client's thread, which waits for the answer by {@link #await} for the time of its call: the
     * read runs on another thread, which a pool or a lock may keep for longer. Cancelling the future withdraws a read
     * that has not begun. Test kits read on the client's own thread, at once.
     */
    default <T extends @Nullable Object> CompletableFuture<T> ask(Supplier<T> question) {
        return CompletableFuture.completedFuture(question.get());
    }

    /**
     * Reads the views for a client's thread as {@link #ask} does the store. A replica may answer them: they wait in a
     * line of their own, so that a replica that hangs holds up no order and no start.
     */
    default <T extends @Nullable Object> CompletableFuture<T> askViews(Supplier<T> question) {
        return ask(question);
    }

    /**
     * Blocks a client's thread until the future is done.
     *
     * @param timeout null waits for ever
     */
    <T extends @Nullable Object> T await(CompletableFuture<T> future, @Nullable Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException;

    /** Lets the steps work for a moment: some milliseconds, or on virtual time until none has anything left to do. */
    void breathe();

    /**
     * Notes that a caller has got the future of a run's result and may wait for it without the client. For test kits,
     * which move time during such a wait and fail the future where the result can't come; a drive with threads does
     * nothing.
     */
    default void promised(CompletableFuture<?> result) {}

    /** Notes that a run has stalled and is tried again later. For test kits, which then end the waits of the test. */
    default void stalled(RunKey run, String why) {}

    void start();

    /** Returns the nanoseconds since the slowest of the steps returned or reported progress; large when one hangs. */
    long nanosSinceProgress();

    /** Stops the steps, each after the call that is under way. */
    @Override
    void close();
}
