package dev.durable.internal.replay.coroutine;

import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a promise asks of the run that it belongs to. Calls come from the run's own coroutines only. */
public interface PromiseHost {
    /** Blocks the running coroutine until the promise has settled. */
    void waitFor(DurablePromise<?> promise);

    /** Blocks the running coroutine until the promise has settled or the time is over, which throws. */
    void waitFor(DurablePromise<?> promise, Duration timeout);

    /** Cancels what the promise is the outcome of. */
    void cancel(DurablePromise<?> promise);

    /** Refuses a call that is not made by a coroutine of this run. */
    void look(String call);

    /** Starts a coroutine that is ready when the promise has settled. */
    <T extends @Nullable Object> DurablePromise<T> after(DurablePromise<?> first, String call, CheckedTask<T> body);

    /** The place of the promise that settles now in the order in which the promises of this run settle. */
    long nextSettled();

    /** The promises that failed and that nobody has looked at. */
    Set<DurablePromise<?>> unobserved();
}
