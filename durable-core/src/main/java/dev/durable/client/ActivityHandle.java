package dev.durable.client;

import dev.durable.ActivityContext;
import dev.durable.ActivityFailedException;
import dev.durable.TypeRef;
import dev.durable.WaitTimedOutException;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.WorkflowFailedException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.history.History;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One activity as a background job, by {@link DurableClient#enqueue}. It is a run of its own: its id, status and history are
 * found like those of any other. Safe for use by several threads.
 */
public interface ActivityHandle {

    /** The id of the job: the workflow id of its run. */
    String id();

    /** Its run. */
    UUID runId();

    /** The name of its activity: {@code Emails.send}. */
    String activity();

    /**
     * Waits for the job to end. A job that has failed for good and waits as a dead letter or an incident has not ended: an
     * operator may still retry it, and this call waits until one has resolved it ({@link DurableClient#deadLetters()}, {@link
     * DurableClient#incidents()}, {@link #control()}), for ever if no operator does. Where that may be, wait with a
     * time limit, {@link #await(Duration)}, or have the activity end as failed instead, with {@code onExhausted}.
     */
    default void await() {
        resultAs(Object.class);
    }

    /**
     * Waits as {@link #await()} does, but no longer than the timeout.
     *
     * @throws WaitTimedOutException when it has not ended by then; it goes on, or waits for an operator
     */
    default void await(Duration timeout) {
        resultAs(Object.class, timeout);
    }

    /**
     * Waits for the job to end, as {@link #await()} does, and gives its result as this type; null where the activity gives
     * none.
     *
     * @throws ActivityFailedException when its last attempt failed; an exception that the activity's signature names comes
     *     as itself, if it is unchecked
     * @throws WorkflowFailedException when it was cancelled, terminated or timed out
     */
    <T> @Nullable T resultAs(Class<T> type);

    /** Waits for the job to end and gives its result as this generic type; see {@link #resultAs(Class)}. */
    <T> @Nullable T resultAs(TypeRef<T> type);

    /**
     * Gives the result as {@link #resultAs(Class)} does, but waits no longer than the timeout.
     *
     * @throws WaitTimedOutException when it has not ended by then; it goes on
     */
    <T> @Nullable T resultAs(Class<T> type, Duration timeout);

    /**
     * Gives the result as {@link #resultAs(TypeRef)} does, but waits no longer than the timeout.
     *
     * @throws WaitTimedOutException when it has not ended by then; it goes on
     */
    <T> @Nullable T resultAs(TypeRef<T> type, Duration timeout);

    /** The result when it comes, without a waiting thread; of a dead letter or an incident, when it is resolved. */
    <T> CompletableFuture<@Nullable T> resultAsync(Class<T> type);

    /**
     * Asks the job to stop. Where no attempt runs, it ends as cancelled at once. Where one does, its body is asked to
     * stop ({@link ActivityContext#cancelRequested}, {@link ActivityContext#onCancel}, the next heartbeat), and the job
     * stays open until the attempt has ended: its id is taken, what it checkpoints is stored, its description says
     * "cancelling". Then it is cancelled, or completed where the body came to its result all the same. A body that goes
     * on for longer than the worker's {@linkplain DurableEngine.Builder#cancelGrace grace} is interrupted, and the job
     * is cancelled without it.
     */
    void cancel(String reason);

    /**
     * The operations of an operator on the job until it has ended: run it now, reschedule it, hold it, change its
     * options, end it with a value or a failure.
     */
    ActivityControl control();

    /**
     * Enqueues the job again as it was, if it has ended without a result: {@link DurableClient#enqueueAgain(String)}. This
     * handle stays that of the run that has ended.
     *
     * @return a handle of the new run
     * @throws WorkflowAlreadyStartedException when the job completed, is open, or its id was used by another run since
     */
    ActivityHandle enqueueAgain();

    /**
     * Ends the job at once, which is the hard way: its body is asked to stop and interrupted after that (at the latest
     * when its worker next checks its leases), any outcome of the body is refused, its checkpoints included, and the id
     * is free while it may run on. Its place under limits stays taken until it has ended, for a minute at most. Prefer
     * {@link #cancel}.
     *
     * @throws WorkflowNotFoundException when it is not open
     */
    void terminate(String reason);

    /** Status, times, attempts, and the worker that has the job. */
    WorkflowDescription describe();

    /** The history so far. */
    History history();
}
