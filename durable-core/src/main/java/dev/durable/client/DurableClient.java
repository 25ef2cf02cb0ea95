package dev.durable.client;

import dev.durable.ActivityContext;
import dev.durable.ActivityFailedException;
import dev.durable.Call;
import dev.durable.ConflictPolicy;
import dev.durable.QueueFullException;
import dev.durable.UpdateCall;
import dev.durable.VoidCall;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.history.History;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Starts workflows and talks to them. Thread-safe. */
public interface DurableClient {

    /**
     * Starts a run: {@code client.start(OrderWorkflow.class, "order-42", w -> w.run(order))}. Durable when this returns. A
     * run whose method is {@code void} is started by {@link #startVoid(Class, String, VoidCall) startVoid}: here the
     * compiler says that void can't be converted.
     */
    default <W, R extends @Nullable Object> WorkflowHandle<W, R> start(
            Class<W> type, String workflowId, Call<W, R> run) {
        return start(type, StartOptions.id(workflowId), run);
    }

    /**
     * Starts a run with options; one whose method is {@code void} by {@link #startVoid(Class, StartOptions, VoidCall)
     * startVoid}.
     */
    <W, R extends @Nullable Object> WorkflowHandle<W, R> start(Class<W> type, StartOptions options, Call<W, R> run);

    /** Starts a run whose method returns nothing. */
    default <W> WorkflowHandle<W, @Nullable Void> startVoid(Class<W> type, String workflowId, VoidCall<W> run) {
        return startVoid(type, StartOptions.id(workflowId), run);
    }

    /** Starts a run whose method returns nothing, with options. */
    <W> WorkflowHandle<W, @Nullable Void> startVoid(Class<W> type, StartOptions options, VoidCall<W> run);

    /**
     * Starts a run by its type's name, for callers without the class. A type that this engine does not register is refused
     * where its own worker serves the type's task queue ({@code "default"}, or what the options say); elsewhere it is said
     * in the log, once per type, and its runs wait until a worker that registers it serves that queue.
     *
     * @throws IllegalArgumentException where the type is not registered and this engine's worker serves its queue
     */
    WorkflowHandle<?, ?> start(String workflowType, StartOptions options, @Nullable Object... arguments);

    /**
     * Signals the open run of this workflow id, or starts one with the signal in its inbox: {@code
     * client.signalWithStart(OrderWorkflow.class, "order-42", w -> w.run(order), w -> w.approve("ann"))}.
     */
    default <W, R extends @Nullable Object> WorkflowHandle<W, R> signalWithStart(
            Class<W> type, String workflowId, Call<W, R> run, VoidCall<W> signal) {
        return signalWithStart(type, StartOptions.id(workflowId), run, signal);
    }

    /**
     * Signals the open run of this workflow id, or starts one with the signal in its inbox: one commit that can't lose the
     * signal to a run that closes meanwhile. A run that is started so runs to its first wait before the signal's handler.
     * Durable when this returns.
     *
     * <p>Where no run is open the reuse policy decides about another. Where one is open, {@link ConflictPolicy#FAIL},
     * which is the default, counts as {@link ConflictPolicy#USE_EXISTING}: the signal goes to that run, the rest of the
     * options to none. {@link ConflictPolicy#TERMINATE_EXISTING} replaces it. A start delay has no effect: the signal ends it,
     * as every signal does.
     *
     * <p>Inside a transaction of the caller's a new run is written there with its signal; for an open run the signal waits
     * until the commit, and if that run has closed by then, a new one is started with it.
     *
     * @return a handle of the run that has the signal; of the current run of the workflow id, where that is only seen after
     *     the caller's commit
     * @throws WorkflowAlreadyStartedException when the open run is of another type, or the reuse policy refuses another
     * @throws QueueFullException when no run is open and the task queue has no room for another
     */
    <W, R extends @Nullable Object> WorkflowHandle<W, R> signalWithStart(
            Class<W> type, StartOptions options, Call<W, R> run, VoidCall<W> signal);

    /** Signals or starts a run whose method returns nothing; see {@link #signalWithStart(Class, StartOptions, Call, VoidCall)}. */
    default <W> WorkflowHandle<W, @Nullable Void> signalWithStartVoid(
            Class<W> type, String workflowId, VoidCall<W> run, VoidCall<W> signal) {
        return signalWithStartVoid(type, StartOptions.id(workflowId), run, signal);
    }

    /**
     * Signals or starts a run whose method returns nothing, with options; see {@link #signalWithStart(Class, StartOptions,
     * Call, VoidCall)}.
     */
    <W> WorkflowHandle<W, @Nullable Void> signalWithStartVoid(
            Class<W> type, StartOptions options, VoidCall<W> run, VoidCall<W> signal);

    /**
     * Signals or starts a run by names, for callers without the class; see {@link #signalWithStart(Class, StartOptions,
     * Call, VoidCall)}.
     *
     * @param arguments those of the run
     * @param signal the signal's name
     */
    WorkflowHandle<?, ?> signalWithStart(
            String workflowType,
            StartOptions options,
            List<? extends @Nullable Object> arguments,
            String signal,
            @Nullable Object... signalArguments);

    /**
     * Updates the open run of this workflow id, or starts one with the update in its inbox: {@code
     * client.updateWithStart(Cart.class, "cart-7", w -> w.run(), w -> w.add(item)).update().result()}.
     */
    default <W, R extends @Nullable Object, U extends @Nullable Object, X extends Exception>
            UpdateWithStart<W, R, U> updateWithStart(
                    Class<W> type, String workflowId, Call<W, R> run, UpdateCall<W, U, X> update) {
        return updateWithStart(type, StartOptions.id(workflowId), run, null, update);
    }

    /**
     * Updates the open run of this workflow id, or starts one with the update in its inbox: one commit that can't lose the
     * update to a run that closes meanwhile. Durable when this returns; {@link UpdateHandle#result} waits for the answer. A
     * run that is started so runs to its first wait before the update is judged; a rejected update leaves it open.
     *
     * <p>The policies count as they do for {@link #signalWithStart(Class, StartOptions, Call, VoidCall) signalWithStart}:
     * {@link ConflictPolicy#FAIL}, which is the default, counts as {@link ConflictPolicy#USE_EXISTING}. An id that the
     * latest run has answered gets that answer, also when the run has closed, and starts nothing.
     *
     * <p>Not part of an open transaction of the caller: there it is refused. An update that returns nothing is called by
     * its name.
     *
     * @param updateId an id of the caller; null makes one
     * @throws WorkflowAlreadyStartedException when the open run is of another type, or the reuse policy refuses another
     * @throws QueueFullException when no run is open and the task queue has no room for another
     */
    <W, R extends @Nullable Object, U extends @Nullable Object, X extends Exception>
            UpdateWithStart<W, R, U> updateWithStart(
                    Class<W> type,
                    StartOptions options,
                    Call<W, R> run,
                    @Nullable String updateId,
                    UpdateCall<W, U, X> update);

    /**
     * Updates or starts a run whose method returns nothing; see {@link #updateWithStart(Class, StartOptions, Call, String,
     * UpdateCall)}.
     */
    default <W, U extends @Nullable Object, X extends Exception>
            UpdateWithStart<W, @Nullable Void, U> updateWithStartVoid(
                    Class<W> type, String workflowId, VoidCall<W> run, UpdateCall<W, U, X> update) {
        return updateWithStartVoid(type, StartOptions.id(workflowId), run, null, update);
    }

    /**
     * Updates or starts a run whose method returns nothing, with options; see {@link #updateWithStart(Class, StartOptions,
     * Call, String, UpdateCall)}.
     */
    <W, U extends @Nullable Object, X extends Exception> UpdateWithStart<W, @Nullable Void, U> updateWithStartVoid(
            Class<W> type,
            StartOptions options,
            VoidCall<W> run,
            @Nullable String updateId,
            UpdateCall<W, U, X> update);

    /**
     * Updates or starts a run by names, for callers without the class; see {@link #updateWithStart(Class, StartOptions,
     * Call, String, UpdateCall)}.
     *
     * @param arguments those of the run
     * @param update the update's name
     * @param type the type of its result
     */
    <U> UpdateWithStart<?, ?, U> updateWithStart(
            String workflowType,
            StartOptions options,
            List<? extends @Nullable Object> arguments,
            @Nullable String updateId,
            String update,
            Class<U> type,
            @Nullable Object... updateArguments);

    /**
     * Runs one activity as a background job: {@code client.enqueue(Emails.class, e -> e.send(id))}. Durable when this
     * returns; retried by the activity's policy. One whose attempts are used up, or that failed for good, stays as a dead
     * letter, {@link #deadLetters()}, unless its activity or {@link DurableEngine.Builder#jobsOnExhausted} says otherwise.
     */
    <A> ActivityHandle enqueue(Class<A> type, VoidCall<A> call);

    /**
     * Runs one activity as a background job, with options. The id is the job's, and the policies decide about a second
     * job of that id. A delay, an expiry, a run timeout and a task queue are the job's, too, and so are {@linkplain
     * StartOptions#activity options of its activity}.
     *
     * @throws WorkflowAlreadyStartedException when the policies refuse it; {@link ConflictPolicy#USE_EXISTING} does where
     *     the open run of that id is no job of the same activity
     */
    <A> ActivityHandle enqueue(Class<A> type, StartOptions options, VoidCall<A> call);

    /**
     * Runs one activity as a background job, with options and an id that the start makes: {@code
     * client.enqueue(Emails.class, o -> o.priority(3).startDelay(HOUR), e -> e.send(id))}.
     *
     * @param options changes {@link StartOptions#generatedId()}; {@code o.withId(…)} names an id after all
     */
    default <A> ActivityHandle enqueue(Class<A> type, UnaryOperator<StartOptions> options, VoidCall<A> call) {
        StartOptions chosen = options.apply(StartOptions.generatedId());
        return enqueue(
                type, Objects.requireNonNull(chosen, "enqueue(…, o -> …): its lambda returned no options"), call);
    }

    /**
     * Enqueues a background job again that has ended without a result (failed, timed out, cancelled, terminated), as it was:
     * the same activity with the same arguments, options, headers, memo and task queue, as a new run with the same id, due at
     * once. The run that has ended stays in the history. A dead letter or an incident has not ended: {@link
     * IncidentControl#retry() retry} it.
     *
     * @return the new run
     * @throws WorkflowNotFoundException when there is no such job, or its history has been removed
     * @throws WorkflowAlreadyStartedException when the id is in use by an open run, or its latest run completed
     * @throws IllegalArgumentException when the id is that of a workflow
     * @throws QueueFullException when the task queue has no room for another
     */
    UUID enqueueAgain(String id);

    /**
     * Enqueues all background jobs again that satisfy the filter and can be: {@code client.enqueueAgain(w ->
     * w.closedAfter(monday))}. These are jobs that failed or timed out, unless the filter names other states. Left out
     * are runs of workflows, jobs that completed or {@linkplain StartOptions#expiresAt expired}, and runs that are not
     * the latest of their id. If two callers do it at once, each job is enqueued by one of them. If the call fails in
     * between, the jobs that were enqueued stay so, and calling it again goes on.
     *
     * @return how many were enqueued
     */
    long enqueueAgain(UnaryOperator<WorkflowQuery.Filter> filter);

    /**
     * Runs one activity for each item as background jobs, with few commits: {@code
     * client.enqueueAll(Emails.class, addresses, (emails, address) -> emails.send(address))}. They begin in the order of the
     * items, as far as there are workers for one after the other. All are durable when this returns. If it fails in
     * between, those before are; see the form with an id.
     *
     * @throws QueueFullException when the task queue has no room for all; those in front are durable
     */
    <A, T> BatchHandle enqueueAll(Class<A> type, Iterable<? extends T> items, BatchCall<A, T> call);

    /**
     * Runs one activity for each item as background jobs, with options for each; the id is the batch's. Called again
     * with the same id it adds only the jobs that are not there, by their number: a batch whose caller died in between
     * is completed by enqueueing it again. Policies of the options do not count.
     *
     * @throws QueueFullException when the task queue has no room for all; those in front are durable, and the same call
     *     again adds the rest
     * @throws WorkflowAlreadyStartedException when the id of an item, the batch's with a slash and its number, belongs to a
     *     run that is none of the batch's; the other items that were sent with it are durable
     */
    <A, T> BatchHandle enqueueAll(
            Class<A> type, StartOptions options, Iterable<? extends T> items, BatchCall<A, T> call);

    /** The batch of this id. */
    BatchHandle batch(String id);

    /**
     * The background job of this id, the open one or the one that ended last: what {@link #enqueue} gave, for a process that
     * has only the id. Its results and exceptions are the same where the activity is registered with this engine,
     * implemented or declared; elsewhere no exception comes as itself, all are {@link ActivityFailedException}: name the
     * type then, {@link #job(Class, String)}.
     *
     * @throws WorkflowNotFoundException when nothing of this id was started
     * @throws IllegalArgumentException when it is a workflow's
     */
    ActivityHandle job(String id);

    /**
     * The background job of this id, whose activity need not be registered; see {@link #job(String)}.
     *
     * @throws IllegalArgumentException when it is a workflow's, or that of a job of another type
     */
    <A> ActivityHandle job(Class<A> type, String id);

    /**
     * Background jobs, open and ended: {@code client.jobs().where(j -> j.activity("Emails.send").status(FAILED))}. What
     * becomes of those that have not ended is said by {@link #activities()}.
     */
    WorkflowQuery jobs();

    /** The current run of this workflow id, by names only. */
    WorkflowHandle<?, ?> handle(String workflowId);

    /** The current run of this workflow id. */
    <W> WorkflowHandle<W, ?> handle(Class<W> type, String workflowId);

    /** One run of this workflow id. */
    <W> WorkflowHandle<W, ?> handle(Class<W> type, String workflowId, UUID runId);

    /** The history of the latest run of this workflow id. */
    History history(String workflowId);

    /** The history of one run. */
    History history(UUID runId);

    /** Writes the history of the latest run as one stable JSON document that {@code Replayer} reads. */
    void export(String workflowId, Path file);

    /** Task queues: depth, pauses, limits. */
    Queues queues();

    /** Builds of the workflow code: the processes that have them, and the open runs that need them. */
    Builds builds();

    /** Finds activities that have not ended, and changes or ends them. */
    ActivityQuery activities();

    /** The activity with this number in the open run of this workflow id. */
    ActivityControl activity(String workflowId, int seq);

    /** Activities that used up their attempts and wait for an operator: finds them and resolves them. */
    IncidentQuery incidents();

    /** Finds dead letters, which are purged when no operator resolves them in time, and resolves them. */
    IncidentQuery deadLetters();

    /** Finds rows of the audit, which record the actions of operators. */
    AuditQuery audit();

    /** The attempt whose {@linkplain ActivityContext#completeLater token} this is. */
    ExternalActivity activity(String token);

    /**
     * The callback whose {@linkplain dev.durable.Callback#token token} this is.
     *
     * @throws dev.durable.RefusedInputException when the text is no token of a callback, or was changed
     */
    CallbackHandle callback(String token);

    /** Finds runs, and does to all that are found what an operator wants: {@link WorkflowQuery#by}. */
    WorkflowQuery workflows();

    /** The operations on many runs that operators have started by {@code workflows().where(…).by(…)}. */
    Operations operations();

    /**
     * A client whose starts, enqueues, signals and cancels take part in a transaction that the caller holds by hand: they
     * happen exactly if it commits. {@code client.joining(connection).start(…)}. Others find what it started by polling,
     * so it runs at the latest one poll interval after the commit.
     *
     * @param transaction on PostgreSQL a {@code java.sql.Connection} of the store's database with autocommit off
     * @throws IllegalArgumentException when that is nothing this store can join, as a connection of another database; the
     *     message says what it takes
     */
    DurableClient joining(Object transaction);

    /** A client that stays out of whatever transaction is open on the calling thread: its calls are durable at once. */
    DurableClient independent();
}
