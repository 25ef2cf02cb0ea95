package dev.durable.client;

import dev.durable.Callback;
import dev.durable.CallbackEndedException;
import dev.durable.WorkflowNotFoundException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A callback that a workflow has opened, for the holder of its token: {@link Callback#token}. The first outcome holds.
 *
 * <p>A call returns when its message is durable in the inbox of the run; then the promise gets it, unless the run ends or
 * cancels the callback by something that comes before it. A call that is repeated with the same value, or with a failure
 * of the same type and message, does nothing and returns: a caller that got no answer calls again. In a transaction of
 * the caller the message is sent with its commit, as a signal is; an outcome that another one has preceded by then is
 * dropped.
 *
 * <p>Each call throws {@link CallbackEndedException} if the callback has ended in another way, and {@link
 * WorkflowNotFoundException} if there is no such run, for example because retention has removed it. Thread-safe.
 */
public interface CallbackHandle {

    /**
     * Completes the callback with this value, which the workflow reads as the type that it has opened it for. A value that
     * can't be read as that lets the callback fail.
     */
    void complete(@Nullable Object value);

    /** Lets the callback fail; the workflow gets the exception as data. */
    void fail(Throwable failure);

    /** Lets the callback fail for this reason. */
    void fail(String message);

    /** Moves the end of its time: it becomes this long after the run has taken in the message. */
    void extend(Duration time);
}
