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

    /** What a step is like. */
    enum Kind {
        /** Talks to the store; keeps leases alive: gets a platform thread. */
        IO,
        /** Runs workflow code, which switches coroutines: gets a virtual thread. */
        TURNS
    }

    /** Adds a step and returns the action that wakes it. A step that is added after the start runs from then on. */
    Runnable add(String name, Kind kind, Step step);

    /** Where the activity bodies of a queue run. */
    Executor activities(String taskQueue, boolean virtualThreads);

    /**
     * Asks the store something for a client's thread, which waits for the answer by {@link #await} no longer than it likes:
     * on another thread, which a pool or a lock may keep for longer. Who cancels the future withdraws a question that has
     * not begun. Test kits ask on the client's own thread, at once.
     */
    default <T extends @Nullable Object> CompletableFuture<T> ask(Supplier<T> question) {
        return CompletableFuture.completedFuture(question.get());
    }

    /**
     * As {@link #ask}, for questions to the views, which may be answered by a replica: they wait in a line of their own, so
     * that a replica which hangs keeps no order and no start.
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
     * Somebody was given a future of a run's result, and may wait for it by means of his own. For test kits, which move
     * time while he does and end the future where it can't come; threads have nothing to do for it.
     */
    default void promised(CompletableFuture<?> result) {}

    /** A run has stalled and is tried again later. For test kits, which then end the waits of the test. */
    default void stalled(RunKey run, String why) {}

    /** Starts to run the steps. */
    void start();

    /** Nanoseconds since the slowest of its steps came back or said that it gets on; large when one hangs. */
    long nanosSinceProgress();

    /** Stops, after the calls of steps that are under way. */
    @Override
    void close();
}
