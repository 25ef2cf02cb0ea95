package dev.durable.client;

import dev.durable.Call;
import dev.durable.CallInterruptedException;
import dev.durable.CancelledException;
import dev.durable.TypeRef;
import dev.durable.VoidCall;
import dev.durable.WaitTimedOutException;
import dev.durable.WorkflowFailedException;
import dev.durable.history.History;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A reference to a workflow or one of its runs, by which a client signals, queries, cancels it and gets its result.
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
     * Names the operator: {@link #cancel}, {@link #terminate}, {@link #pause} and {@link #resume} are recorded as
     * the actor's in the history, and each is a row in the audit. Without an actor the history names the engine's identity, and
     * the audit has pauses and resumes only.
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

    /** Status, times, waiting activities, and the worker that has the run. */
    WorkflowDescription describe();

    /** The history so far. */
    History history();
}
