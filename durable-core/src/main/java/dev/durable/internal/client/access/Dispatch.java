package dev.durable.internal.client.access;

import dev.durable.QueueFullException;
import dev.durable.client.WaitFor;
import dev.durable.client.WhyWaiting.CodeWait;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.EnqueuedOptions;
import dev.durable.history.Payload;
import dev.durable.history.WorkflowStarted;
import dev.durable.store.Delivery;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobOrder;
import dev.durable.store.Joined;
import dev.durable.store.NewJob;
import dev.durable.store.NewRun;
import dev.durable.store.OpenJob;
import dev.durable.store.Reply;
import dev.durable.store.RunKey;
import dev.durable.store.RunResult;
import dev.durable.store.StartOutcome;
import dev.durable.store.StreamPage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The access of a client to the process in which it lives: the store, the caller's transaction, and waiting. */
public interface Dispatch {
    /**
     * Returns the store, for reads and for writes that no lane takes. Its calls run on other threads, and the caller
     * waits for them until the {@link #deadline}.
     */
    HistoryStore store();

    /**
     * Returns this access for one call of a client: all reads and waits through it share one {@link #deadline} that
     * counts from now. An access that was begun stays as it is.
     */
    Dispatch begun();

    /**
     * Returns this access for a call that has at most that much time, even where calls have more; a single read has a
     * moment at least.
     */
    Dispatch begun(Duration atMost);

    /**
     * Returns the time at which a wait for the database gives up; counted from now where the access was not {@link
     * #begun}.
     */
    CallDeadline deadline();

    /** Returns the transaction that calls made now take part in. */
    Optional<Joined> transaction();

    /** Returns this access with calls that take part in the transaction that the supplier finds. */
    Dispatch within(Supplier<Optional<Joined>> transactions);

    /**
     * Counts one more start for this task queue.
     *
     * @param what the start, for the error
     * @throws QueueFullException where the queue has no room for it
     */
    void askForRoom(String taskQueue, String what);

    /**
     * Counts starts for this task queue, as many as it has room for and at most so many; those counted by earlier calls
     * have been made. Returns how many.
     */
    int takeRoom(String taskQueue, int most);

    /** Returns the exception for a queue that has no room. */
    QueueFullException full(String taskQueue, String what);

    /**
     * Returns a future that completes when the engine's store fulfils the condition, which a loop of the engine polls,
     * less often the longer it takes.
     */
    CompletableFuture<?> until(Predicate<HistoryStore> condition);

    /**
     * Starts a run; its first turn goes into the same commit where this process can run it. A start with a message does
     * without that: it mostly finds an open run, for which the turn would have run in vain.
     */
    CompletableFuture<StartOutcome> start(NewRun run, WorkflowStarted started);

    /**
     * Starts a run whose first turn is known: one activity, which runs here at once where there is room. Where the start is
     * delayed, so is its job, and the rest of the first turn is not.
     *
     * @param chosen those of its options that the enqueueing call chose; null where all of them are fixed
     */
    CompletableFuture<StartOutcome> enqueue(
            NewRun run, WorkflowStarted started, ActivityScheduled scheduled, @Nullable EnqueuedOptions chosen);

    /**
     * Returns the job of an activity that is scheduled once more, by a fork of the run that has scheduled it.
     *
     * @param headers given at the start of that run
     * @param idempotencyKey the key that the activity had there
     */
    NewJob scheduledAgain(
            RunKey fork,
            String workflowType,
            Map<String, String> headers,
            ActivityScheduled scheduled,
            String idempotencyKey);

    CompletableFuture<Delivery.Outcome> deliver(Delivery delivery);

    /** Returns the future end of a run. */
    CompletableFuture<RunResult> result(UUID runId);

    /** Returns the future state of an update: at this stage, answered, or without an answer as its run has closed. */
    CompletableFuture<Reply.State> reply(Reply.Question update, WaitFor stage);

    /**
     * Returns the future page of a stream: when it has entries, or its chain has ended.
     *
     * @param openRun the run of the chain that was open when the caller last read
     */
    CompletableFuture<StreamPage> entries(StreamPage.Question question, @Nullable UUID openRun);

    /** Returns the answer to a query, by the cached instance or by replay in this process. */
    Payload ask(RunKey run, String workflowType, String query, Payload arguments);

    /**
     * Returns where the code of an open run waits, by replay in this process: nothing where its workflow type is not
     * registered here or the replay does not come through.
     */
    List<CodeWait> waits(RunKey run, String workflowType);

    /**
     * Returns the order that follows from a failure that the holder of a token reports, by the options of its activity.
     *
     * @param id the id by which a resend is recognised
     * @param logs gets the action that logs the decision, to be called when the order was carried out
     */
    JobOrder afterFailure(OpenJob job, Throwable failure, UUID id, Consumer<Runnable> logs);

    /** Tells waiting clients of this process that a run was terminated or timed out. */
    void seized(RunKey run);

    /** Lets this process's worker work for a moment. */
    void breathe();

    /** Notes that the future was given to the caller, which may wait for it without the client. */
    void promised(CompletableFuture<?> result);

    /**
     * Waits for the future.
     *
     * @throws TimeoutException when it is not done in time
     */
    <T extends @Nullable Object> T await(CompletableFuture<T> future, @Nullable Duration timeout)
            throws TimeoutException;
}
