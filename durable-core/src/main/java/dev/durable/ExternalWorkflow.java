package dev.durable;

import org.jspecify.annotations.Nullable;

/**
 * Another workflow, addressed by its workflow id, to which workflow code sends messages: {@code
 * Durable.external(OrderWorkflow.class, "order-42").signal(w -> w.approve("ann"))}. For use on the coroutines of the run
 * that has asked for it; not thread-safe.
 *
 * <p>A message is recorded in the history of the sender and is durable when its turn is committed. It is delivered
 * after that, exactly once, to the run of the workflow id that is open then; messages of one run to one target arrive
 * in the order in which they were sent. If no run is open, the message is dropped with a line in the log: the sender is
 * not told. A message to the sender's own workflow id stands in the sender's inbox from the commit on.
 *
 * @param <W> the target's workflow class or interface
 */
public interface ExternalWorkflow<W> {
    /** The workflow id of the target. */
    String workflowId();

    /**
     * Sends a signal: {@code signal(w -> w.approve("ann"))}.
     *
     * @throws UsageException if the lambda is not exactly one call of a signal, its arguments can't be written or are
     *     too large, or the workflow id can't be one; also in queries, conditions, side effects and constructors
     * @throws CancelledException if the calling coroutine is cancelled; {@link Durable#detached} lets it send
     */
    void signal(VoidCall<W> call);

    /**
     * Sends a signal by name: {@code signal("approve", "ann")}.
     *
     * @throws UsageException if the workflow has no such signal, and as {@link #signal(VoidCall)} does
     * @throws CancelledException if the calling coroutine is cancelled
     */
    void signal(String name, @Nullable Object... arguments);

    /** Asks the workflow to cancel, without a reason. */
    void cancel();

    /**
     * Asks the workflow to cancel. Its history names the sender as {@code workflow} with the sender's workflow id.
     *
     * @throws UsageException if the reason is too long or has control characters, and as {@link #signal(VoidCall)} does
     * @throws CancelledException if the calling coroutine is cancelled
     */
    void cancel(String reason);
}
