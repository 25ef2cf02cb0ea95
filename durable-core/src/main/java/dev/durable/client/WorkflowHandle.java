package dev.durable.client;

import dev.durable.Call;
import dev.durable.CallInterruptedException;
import dev.durable.CancelledException;
import dev.durable.RefusedInputException;
import dev.durable.TypeRef;
import dev.durable.UpdateCall;
import dev.durable.UpdateFailedException;
import dev.durable.UpdateNotCompletedException;
import dev.durable.UpdateRejectedException;
import dev.durable.UpdateVoidCall;
import dev.durable.VoidCall;
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
 * A reference to a workflow or one of its runs, by which a client signals, updates, queries, cancels it and gets its result.
 * Thread-safe; holds no resources.
 *
 * @param <W> the workflow type
 * @param <R> what its run returns
 */
public interface WorkflowHandle<W, R extends @Nullable Object> {

    /** The workflow id. */
    String workflowId();

    /** The run this handle is of; null where it stands for the current run of the workflow id, whichever it is. */
    @Nullable
    UUID runId();

    /**
     * Waits for the run to close.
     *
     * @throws WorkflowFailedException when it closed without a result
     * @throws CallInterruptedException when the thread is interrupted meanwhile; its flag stays set
     */
    R result();

    /**
     * Waits at most that long.
     *
     * @throws WaitTimedOutException when the run is still open then
     */
    R result(Duration timeout);

    /** The result when it comes, without a waiting thread. Callbacks run on the common pool: they may use the client. */
    CompletableFuture<R> resultAsync();

    /** The result as this type, where the handle does not know it. */
    <T> T resultAs(Class<T> type);

    /** The result as this generic type. */
    <T> T resultAs(TypeRef<T> type);

    /**
     * The result as this type; waits at most that long.
     *
     * @throws WaitTimedOutException when the run is still open then
     */
    <T> T resultAs(Class<T> type, Duration timeout);

    /**
     * The result as this generic type; waits at most that long.
     *
     * @throws WaitTimedOutException when the run is still open then
     */
    <T> T resultAs(TypeRef<T> type, Duration timeout);

    /** Sends a signal: durable when this returns. */
    void signal(VoidCall<W> call);

    /** Sends a signal by name. */
    void signal(String name, @Nullable Object... arguments);

    /**
     * Asks the run for its state, {@code String line = h.query(w -> w.line(1))}; answered in this process, by replay where
     * it is not cached.
     *
     * <p>Straight inside an overloaded method, such as {@code println} or {@code assertThat}, the compiler finds such a
     * lambda "ambiguous", for it chooses among overloads before it looks into lambdas without parameter types. A method
     * reference or a typed lambda does: {@code println(h.query(OrderWorkflow::status))}, {@code
     * assertThat(h.query((OrderWorkflow w) -> w.line(1)))}.
     */
    <T extends @Nullable Object> T query(Call<W, T> call);

    /** Asks by name. */
    <T> T query(String name, Class<T> type, @Nullable Object... arguments);

    /** Asks by name, for a generic type. */
    <T> T query(String name, TypeRef<T> type, @Nullable Object... arguments);

    /**
     * Sends an update and waits for its answer: {@code Address a = h.update(w -> w.changeAddress(next))}. The handler may
     * wait for as long as it takes; {@link #startUpdate} waits no longer than its acceptance. Not part of an open
     * transaction of the caller. Straight inside an overloaded method the compiler wants a method reference or a typed
     * lambda, as it does for {@link #query}.
     *
     * @throws X what the handler's signature names, thrown by the handler or by its validator
     * @throws UpdateFailedException when the handler threw another exception, the update was rejected ({@link
     *     UpdateRejectedException}), or the run ended before it answered ({@link UpdateNotCompletedException})
     */
    <T extends @Nullable Object, X extends Exception> T update(UpdateCall<W, T, X> call) throws X;

    /** Sends an update that returns nothing and waits until its handler has returned, as {@link #update} does. */
    <X extends Exception> void updateVoid(UpdateVoidCall<W, X> call) throws X;

    /** Sends an update by name and waits for its answer. */
    <T> T update(String name, Class<T> type, @Nullable Object... arguments);

    /** Sends an update by name and waits for its answer, of a generic type. */
    <T> T update(String name, TypeRef<T> type, @Nullable Object... arguments);

    /**
     * Sends an update and waits until it has reached the stage. A handler's exception is thrown by {@link
     * UpdateHandle#result}; a rejection is thrown here where the stage is {@link WaitFor#ACCEPTED}. That and {@link
     * WaitFor#COMPLETED} wait for as long as it takes, so also for a run that is paused to be resumed: a caller who would
     * rather hear of it waits for {@link WaitFor#SENT}, and then in {@link UpdateHandle#result(java.time.Duration)}.
     */
    <T extends @Nullable Object, X extends Exception> UpdateHandle<T> startUpdate(
            UpdateCall<W, T, X> call, WaitFor stage) throws X;

    /**
     * Sends an update with an id of the caller. A run accepts an id once: who sends it again gets the same answer, for a
     * day after it was given. A rejected id may be sent again.
     */
    <T extends @Nullable Object, X extends Exception> UpdateHandle<T> startUpdate(
            String updateId, UpdateCall<W, T, X> call, WaitFor stage) throws X;

    /** Sends an update that returns nothing and waits until it has reached the stage, as {@link #startUpdate} does. */
    <X extends Exception> UpdateHandle<@Nullable Void> startUpdateVoid(UpdateVoidCall<W, X> call, WaitFor stage)
            throws X;

    /** Sends an update that returns nothing, with an id of the caller, as {@link #startUpdate} does. */
    <X extends Exception> UpdateHandle<@Nullable Void> startUpdateVoid(
            String updateId, UpdateVoidCall<W, X> call, WaitFor stage) throws X;

    /** Sends an update by name with an id of the caller. */
    <T extends @Nullable Object> UpdateHandle<T> startUpdate(
            String updateId, WaitFor stage, String name, Class<T> type, @Nullable Object... arguments);

    /** The handle of an update that was sent before, perhaps by another process. */
    <T> UpdateHandle<T> updateHandle(String updateId, Class<T> type);

    /** The handle of an update that was sent before, with a result of a generic type. */
    <T> UpdateHandle<T> updateHandle(String updateId, TypeRef<T> type);

    /**
     * Names the operator: {@link #cancel}, {@link #terminate}, {@link #pause}, {@link #resume}, {@link #moveTo} and forks are
     * the actor's in history and audit, where each is a row. Without an actor the history names the engine's identity, and the
     * audit has pauses, resumes, moves and forks only.
     */
    WorkflowHandle<W, R> by(String actor);

    /** Asks the run to end: its code sees a {@link CancelledException} and may clean up. */
    void cancel();

    /**
     * Asks the run to end, with a reason that its history and the exception of callers who wait for its result show.
     */
    void cancel(String reason);

    /**
     * Ends the run now, which is the hard way: none of its code runs any more, so nothing is compensated. A body of an
     * activity that still runs is asked to stop and interrupted after that, and any outcome of it is refused; a new run
     * of the id may begin beside it. Prefer {@link #cancel}.
     */
    void terminate(String reason);

    /**
     * Pauses the run: none of its code runs until {@link #resume}. Messages and outcomes of activities wait, and so do
     * its timers; activities that run go on, and queued ones begin. A run, execution or start timeout goes on, too.
     * Durable, and in force everywhere, when this returns; nothing happens where it is paused already.
     */
    void pause();

    /** Pauses the run as {@link #pause()} does, with a reason for its history. */
    void pause(String reason);

    /** Lets a paused run go on; nothing happens where it is not paused. */
    void resume();

    /**
     * Starts a workflow that goes on from an event of the history of this run, which may be open or closed and stays as it
     * is: a run of its own, under another workflow id, with a copy of the events up to that one. Nothing of the copied
     * part runs again: results of activities, random numbers and times are those of the history. Activities that were
     * open there are called again from their first attempt, with the idempotency key that they had; timers keep their
     * due times, so that one which has passed fires at once; timeouts of the run begin anew. Signals and updates that
     * came behind the event are not copied. From there on the code that is deployed now decides what happens.
     *
     * @param eventId the last event that is copied: the end of a turn, for example the last one before an event that came
     *     to the run from outside; {@link #history} has them
     * @param otherId the workflow id of the fork, of which no run may be open
     * @return the handle of the fork
     * @throws RefusedInputException when the run can't be forked there: in the middle of a turn or in front of the first
     *     one, where a child or a callback is open, or in a transaction of the caller; it names the nearest events at
     *     which the run can be forked
     * @throws WorkflowAlreadyStartedException when the other id has an open run
     * @throws WorkflowNotFoundException when there is no such run, or retention has removed its history
     */
    WorkflowHandle<W, R> fork(long eventId, String otherId);

    /** Forks the run in its own place, as {@link #fork(long, ForkOptions)} does, with the default options. */
    WorkflowHandle<W, R> fork(long eventId);

    /**
     * Puts a fork in the place of this run, under the same workflow id: a run that goes on from an event of the history, as
     * that of {@link #fork(long, String)}. The run may be open or closed, and is the newest of its workflow id. An open one is
     * closed as terminated, and no process that holds it can write any more; a closed one stays as it is, and the fork is its
     * next run. The fork is of the same chain: handles of a start, and callers that wait for its result, go on with the
     * fork, a parent is told of the fork's end only, streams go on behind what was appended, and children are numbered on.
     *
     * <p>Messages that wait move to the fork, but not requests to cancel. Signals and updates that the run has handled behind
     * the event are not given again, unless the options say so; updates that an open run has accepted and not answered are,
     * as their callers wait. Children that began behind the event are terminated, unless their {@code parentClosePolicy} is
     * ABANDON. The fork of a paused run is paused. A parent that has had the outcome of a closed run already keeps that.
     *
     * @param eventId the last event that is copied, as for {@link #fork(long, String)}
     * @return the handle of the fork, and of the runs that continue it
     * @throws RefusedInputException when the run can't be forked there, is not the newest of its workflow id, or a
     *     transaction of the caller is open
     * @throws WorkflowNotFoundException when there is no such run, or retention has removed its history
     */
    WorkflowHandle<W, R> fork(long eventId, ForkOptions options);

    /** Retries the failed run from its failure, as {@link #retryFromFailure(ForkOptions)} does, with the default options. */
    WorkflowHandle<W, R> retryFromFailure();

    /**
     * Lets a run that has failed, or has run out of its time, go on from its failure with the code that is deployed now: puts
     * a {@linkplain #fork(long, ForkOptions) fork} in its place behind the last turn before the one in which the failure
     * arose. Nothing that succeeded before is called again: the activity that failed the run is called again from its first
     * attempt, with its idempotency key; an outcome behind which the code itself failed is kept, as are those that came
     * later. A local activity whose outcome came in that turn is called again. Signals and updates that came since are given
     * again. Timeouts of the run begin anew. Of a run with a retry policy of its own it is the last attempt that goes on. Where
     * the run failed by a child that failed, the child is retried first, and its children before it.
     *
     * @return the handle of the fork, and of the runs that continue it
     * @throws RefusedInputException when the run has not failed; when it failed in its first turn; when behind the failure its
     *     code has called activities, started children or sent signals, as compensations do, unless {@link
     *     ForkOptions#evenIfUndone} is said; or when it can't be forked there
     * @throws WorkflowNotFoundException when there is no such run, or retention has removed its history
     */
    WorkflowHandle<W, R> retryFromFailure(ForkOptions options);

    /**
     * Pins the run to a build: from now on only processes of that build go on with it, also where it was pinned to another
     * one, or to none. A turn that another process is making is not written. Where the run stalls, that build tries at once.
     * It is a row in the audit, and nothing happens where the run is pinned to that build already. What is {@linkplain
     * dev.durable.Durable#version recorded in its history} still counts: code that does not fit it stalls.
     *
     * @param build the build, as its processes name it ({@link DurableEngine.Builder#build}); none of them need run
     * @throws WorkflowNotFoundException where no such run is open
     * @throws RefusedInputException if it can't be the name of a build, or the run is a background job
     */
    void moveTo(String build);

    /**
     * The run with all children below it, to cancel or terminate all of them; {@link #by} names the operator for them,
     * too.
     */
    WorkflowTree tree();

    /**
     * A stream that the workflow and its activities write ({@code Durable.stream}), to be read from any offset, live or
     * page by page. It belongs to the chain of runs: a handle of any run of it reads the same stream.
     *
     * @throws RefusedInputException if it can't be the name of a stream
     */
    <T> StreamHandle<T> stream(String name, Class<T> type);

    /** A stream of values of a generic type. */
    <T> StreamHandle<T> stream(String name, TypeRef<T> type);

    /** Status, times, waiting activities, and the worker that has the run. */
    WorkflowDescription describe();

    /**
     * Tells why the run waits: for what, since when, until when, what would end the wait, and which processes serve it.
     * Where the workflow's class is registered here, it also tells at which lines its code waits, by a replay of its
     * history in this process, as {@link #query} does. What is read is of one moment, which is over when this returns.
     */
    WhyWaiting whyWaiting();

    /** The history so far. */
    History history();
}
