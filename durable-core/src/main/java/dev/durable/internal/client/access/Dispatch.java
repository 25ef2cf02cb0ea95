package dev.durable.internal.client.access;

import dev.durable.QueueFullException;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.EnqueuedOptions;
import dev.durable.history.Payload;
import dev.durable.history.WorkflowStarted;
import dev.durable.store.Delivery;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobOrder;
import dev.durable.store.Joined;
import dev.durable.store.NewRun;
import dev.durable.store.OpenJob;
import dev.durable.store.RunKey;
import dev.durable.store.StartOutcome;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a client needs of the process it lives in: the store, the caller's transaction, and waiting. */
public interface Dispatch {
    /** The store, for reads and what no lane writes: asked aside, and waited for until the {@link #deadline}. */
    HistoryStore store();

    /**
     * The same process for one call of a client: all that is asked and waited for through it shares one {@link #deadline}
     * from now on. One that was begun stays as it is.
     */
    Dispatch begun();

    /** The same for a call that has no more than that, or a moment for one read, be the time of calls longer. */
    Dispatch begun(Duration atMost);

    /** When a call gives up that waits for the database: of one that was {@link #begun}, else from now. */
    CallDeadline deadline();

    /** The transaction that calls made now take part in. */
    Optional<Joined> transaction();

    /** The same process, with calls that take part in what this finds. */
    Dispatch within(Supplier<Optional<Joined>> transactions);

    /**
     * Counts one more start for this task queue.
     *
     * @param what is to be started
     * @throws QueueFullException where the queue has no room for it
     */
    void askForRoom(String taskQueue, String what);

    /**
     * Counts starts for this task queue, as many as it has room for, up to so many; what was counted before has been
     * started.
     */
    int takeRoom(String taskQueue, int most);

    /** The exception for a queue that has no room. */
    QueueFullException full(String taskQueue, String what);

    /**
     * Completes when the condition holds of the engine's store. It is polled on a loop of the engine, less often the longer
     * it takes.
     */
    CompletableFuture<?> until(Predicate<HistoryStore> condition);

    /**
     * Starts a run; its first turn goes into the same commit where this process can run it. Not where a message goes with
     * it: that mostly finds an open run, for which the turn would have run in vain.
     */
    CompletableFuture<StartOutcome> start(NewRun run, WorkflowStarted started);

    /**
     * Starts a run whose first turn is known: one activity, which runs here at once where there is room. Where the start is
     * delayed, so is its job, and the rest of the first turn is not.
     *
     * @param chosen what of its options was chosen by who enqueues it; null where all of them are fixed
     */
    CompletableFuture<StartOutcome> enqueue(
            NewRun run, WorkflowStarted started, ActivityScheduled scheduled, @Nullable EnqueuedOptions chosen);

    /** Puts a message into an inbox. */
    CompletableFuture<Delivery.Outcome> deliver(Delivery delivery);

    /** The end of a run, when it comes. */
    CompletableFuture<RunResult> result(UUID runId);

    /** The answer to a query, by the cached instance or by replay in this process. */
    Payload ask(RunKey run, String workflowType, String query, Payload arguments);

    /**
     * What follows from a failure that the holder of a token tells, by the options of its activity.
     *
     * @param id recognises a resend
     * @param logs gets what says so in the log, to be called when the order was carried out
     */
    JobOrder afterFailure(OpenJob job, Throwable failure, UUID id, Consumer<Runnable> logs);

    /** Tells waiting clients of this process that a run was ended from outside. */
    void seized(RunKey run);

    /** Lets this process's worker work for a moment. */
    void breathe();

    /** The future was given to the caller, who may wait for it without the client. */
    void promised(CompletableFuture<?> result);

    /**
     * Waits for the future.
     *
     * @throws TimeoutException when it is not done in time
     */
    <T extends @Nullable Object> T await(CompletableFuture<T> future, @Nullable Duration timeout)
            throws TimeoutException;
}
