package dev.durable.internal.replay.coroutine;

import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The calls of a promise to the run to which it belongs. They come from the run's own coroutines only. */
public interface PromiseHost {
    /** Blocks the running coroutine until the promise has settled. */
    void waitFor(DurablePromise<?> promise);

    /** Blocks the running coroutine until the promise has settled or the time is over, which throws. */
    void waitFor(DurablePromise<?> promise, Duration timeout);

    /** Cancels the operation whose outcome the promise has. */
    void cancel(DurablePromise<?> promise);

    /** Refuses a call that is not made by a coroutine of this run. */
    void look(String call);

    /** Refuses a call that is not made by a coroutine of this run, or is made where code may only look at state. */
    void change(String call);

    /** Starts a coroutine that is ready when the promise has settled. */
    <T extends @Nullable Object> DurablePromise<T> after(DurablePromise<?> first, String call, CheckedTask<T> body);

    /** Returns the place of the promise that settles now in the order in which the promises of this run settle. */
    long nextSettled();

    /** Returns whether a query or validator calls, of which nothing may remain. */
    boolean isAsked();

    /** Returns the promises that failed and that no code has read. */
    Set<DurablePromise<?>> unobserved();
}
