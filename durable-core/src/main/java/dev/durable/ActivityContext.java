package dev.durable;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The engine as the body of an activity sees it: its attempt, heartbeats, cancellation, the
 * transaction. Thread-safe: it may be handed to threads of the body's own.
 */
public interface ActivityContext {

    /**
     * The context of the attempt that runs on this thread.
     *
     * @throws IllegalStateException outside an activity
     */
    static ActivityContext current() {
        return dev.durable.internal.attempt.CurrentActivity.get();
    }

    /** Ids, attempt, deadline, idempotency key. */
    ActivityInfo info();

    /**
     * Reports that the attempt lives, and how far it is. Cheap: throttled to min(0.8 × heartbeat timeout, 30 s); the
     * last details always go with a failure, a timeout and a shutdown.
     *
     * @throws CancelledException when the activity was cancelled
     * @throws StaleAttemptException when this attempt is no longer the current one
     */
    void heartbeat(@Nullable Object details);

    /** A heartbeat whose details are durable before this returns. */
    void checkpoint(@Nullable Object details);

    /** The last accepted details of the attempt before this one; empty in a first attempt that left none. */
    <T> Optional<T> heartbeatDetails(Class<T> type);

    /** Gives the heartbeat details as {@link #heartbeatDetails(Class)} does, for a generic type. */
    <T> Optional<T> heartbeatDetails(TypeRef<T> type);

    /**
     * A stream of the workflow's chain, to which this attempt appends values that readers outside see at once: {@code
     * ActivityContext.current().stream("tokens", Chunk.class).append(chunk)}. Workflow code appends by {@link
     * Durable#stream(String, Class)}.
     *
     * @throws IllegalStateException in a local activity, of which the store knows nothing before its end
     * @throws RefusedInputException if it can't be the name of a stream
     */
    <T> ActivityStream<T> stream(String name, Class<T> type);

    /** A stream of values of a generic type. */
    <T> ActivityStream<T> stream(String name, TypeRef<T> type);

    /** The deadline becomes now + timeout, longer or shorter; recorded as {@code ActivityTimeoutUpdated}. */
    void updateTimeout(Duration timeout);

    /**
     * Leaves the end of this attempt to the holder of the returned token, in any process: {@code
     * client.activity(token).complete(value)}. The value that the body returns is ignored then, and its slot is free;
     * an exception of the body is a failure as ever. The timeouts go on: without an end or a heartbeat in time the
     * attempt has timed out.
     *
     * <p>If this process dies before the body has returned, the token is worth nothing, and another attempt begins.
     *
     * @return an opaque text; the same for each call
     * @throws IllegalStateException in a local or transactional activity
     */
    String completeLater();

    /** Returns whether the workflow, an operator or the engine wants this attempt to stop. */
    boolean cancelRequested();

    /** Runs the action when cancellation arrives, at once if it already has. */
    void onCancel(Runnable action);

    /** Headers of the activity's options and of the run. */
    Map<String, String> headers();

    /**
     * The transaction that a {@code transactional} activity runs in, as the type that its code uses: {@code
     * ActivityContext.current().transaction(java.sql.Connection.class)}. It commits with the activity's completion, and
     * Durable alone commits it, rolls it back and closes it. To be used on the body's own thread, until the body ends.
     * Where a framework (Spring) runs the transaction, its own means find the connection too.
     *
     * @throws IllegalStateException when the activity is not transactional, or its transaction is of another type
     */
    <T> T transaction(Class<T> type);
}
