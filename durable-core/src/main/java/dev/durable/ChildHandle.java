package dev.durable;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A child that workflow code has started: {@code Durable.startChild(Shipping.class, w -> w.run(order)).result()}. For use
 * on the coroutines of the run that started it; not thread-safe.
 *
 * <p>The request to start is recorded with the turn that makes it and is delivered after its commit, exactly once. The
 * child is a workflow like any other: it runs on whatever worker serves its task queue, and has its own history.
 *
 * @param <W> the child's workflow class or interface
 * @param <R> the type of its result
 */
public interface ChildHandle<W, R extends @Nullable Object> {
    /** The workflow id of the child. */
    String workflowId();

    /** The id of the child's first run. */
    UUID runId();

    /**
     * Waits for the child's result.
     *
     * @throws ChildFailedException if the child failed, timed out, was terminated or was not started ({@link
     *     ChildNotStartedException}); an unchecked exception that its run method names comes back as itself. For a checked
     *     one: {@code child.resultPromise().get(CardDeclined.class)}
     * @throws CancelledException if the child ended cancelled, or the calling coroutine is cancelled
     */
    R result();

    /**
     * Waits for the child's result, and reads it as this type: for handles of {@link Durable#child}, whose result has no
     * static type, and of {@link Durable#children}, whose {@link #result} is JSON.
     *
     * @throws ChildFailedException as {@link #result} throws it
     * @throws CancelledException as {@link #result} throws it
     */
    <T> T resultAs(Class<T> type);

    /** Waits for the child's result, and reads it as this generic type. */
    <T> T resultAs(TypeRef<T> type);

    /** The child's result as a promise: thousands of them cost no thread. Its cancellation is that of the child. */
    Promise<R> resultPromise();

    /**
     * The child's result as a promise that reads it as this type, as {@link #resultAs} does. Its cancellation is that of the
     * child.
     */
    <T> Promise<T> resultPromiseAs(Class<T> type);

    /** The child's result as a promise that reads it as this generic type. */
    <T> Promise<T> resultPromiseAs(TypeRef<T> type);

    /**
     * A promise that settles when the child is started, or fails with a {@link ChildNotStartedException}. The question is
     * recorded; without it no event tells of a start that succeeds.
     *
     * @throws CancelledException if the calling coroutine is cancelled
     */
    Promise<@Nullable Void> started();

    /**
     * Sends a signal to the child: {@code signal(w -> w.approve("ann"))}. It arrives behind the start and all earlier
     * messages of this run to the child. Nothing is sent to a child whose end this run knows.
     *
     * @throws UsageException if the lambda is not exactly one call of a signal, or its arguments can't be written
     * @throws CancelledException if the calling coroutine is cancelled; {@link Durable#detached} lets it send
     */
    void signal(VoidCall<W> call);

    /** Sends a signal by name, as {@link #signal(VoidCall)} does. */
    void signal(String name, @Nullable Object... arguments);

    /** Asks the child to cancel, without a reason. */
    void cancel();

    /**
     * Asks the child to cancel; its result stays open until it has ended. Only the first request is sent, and none to a
     * child whose end this run knows. The child's history names this run as {@code workflow} with its workflow id.
     *
     * @throws UsageException if the reason is too long or has control characters
     * @throws CancelledException if the calling coroutine is cancelled; {@link Durable#detached} lets it send
     */
    void cancel(String reason);
}
