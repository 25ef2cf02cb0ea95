package dev.durable;

import dev.durable.client.Functions;
import dev.durable.internal.declare.Recorder;
import dev.durable.internal.replay.call.DurableCalls;
import dev.durable.internal.replay.call.RetriedBlocks;
import dev.durable.internal.replay.call.SagaScope;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The calls that workflow code makes of its run: time, randomness, waiting, activities, concurrency, undo. All of it is
 * deterministic: on replay it gives what it gave before. Every call but {@link #logger} must be made on one of the
 * run's coroutines and says so where it is not.
 */
public final class Durable {
    private Durable() {}

    /** The time of the event being processed, to the microsecond; never goes back within a run. */
    public static Instant now() {
        return DurableCalls.current("Durable.now").now();
    }

    /** Randomness that is the same on replay; draws of one coroutine do not shift those of another. */
    public static RandomGenerator random() {
        return DurableCalls.current("Durable.random").random();
    }

    /** A random id (version 4) that is the same on replay. */
    public static UUID uuid() {
        return DurableCalls.current("Durable.uuid").uuid();
    }

    /** Blocks for that long; no thread is held once the run is evicted. Zero or less is no wait. */
    public static void sleep(Duration duration) {
        DurableCalls.current("Durable.sleep").sleep(duration, null);
    }

    /** Blocks for that long; the summary is as that of a {@linkplain #timer(Duration, String) timer}. */
    public static void sleep(Duration duration, String summary) {
        DurableCalls.current("Durable.sleep").sleep(duration, summary);
    }

    /** A durable timer. */
    public static Promise<@Nullable Void> timer(Duration duration) {
        return DurableCalls.current("Durable.timer").timer(duration, null);
    }

    /**
     * A durable timer with one line for people about it, which stands in the history and in descriptions of what the
     * run waits for, as plain text. A replay does not compare it. More than 500 characters are cut, and line breaks
     * become blanks.
     */
    public static Promise<@Nullable Void> timer(Duration duration, String summary) {
        return DurableCalls.current("Durable.timer").timer(duration, summary);
    }

    /** Blocks until the condition holds; it looks at state that handlers and other coroutines set, nothing else. */
    public static void await(BooleanSupplier condition) {
        DurableCalls.current("Durable.await").await(condition);
    }

    /**
     * Blocks until the condition holds or the time is up.
     *
     * @return whether the condition holds
     */
    public static boolean await(Duration timeout, BooleanSupplier condition) {
        return DurableCalls.current("Durable.await").await(timeout, condition);
    }

    /** Starts a coroutine. It runs when the caller blocks. */
    public static <T extends @Nullable Object> Promise<T> async(Body<T> body) {
        return DurableCalls.current("Durable.async").async(body);
    }

    /**
     * Starts a coroutine that returns nothing: {@code Durable.async(() -> payments.refund(id))}.
     *
     * @param <N> stands for nothing. It keeps Kotlin, which takes any lambda for a body that returns nothing, from choosing
     *     this method and dropping the value of {@code Durable.async { value }}; Java needs no notice of it
     * @param none left out
     */
    @SafeVarargs
    @SuppressWarnings("unused")
    public static <N extends @Nullable Void> Promise<@Nullable Void> async(VoidBody body, N... none) {
        return DurableCalls.current("Durable.async").async(() -> {
            body.run();
            return null;
        });
    }

    /** Puts one activity call in flight without a thread: {@code async(payments::charge, id, amount)}. The first argument is a method of a stub. */
    public static <A extends @Nullable Object, R extends @Nullable Object> Promise<R> async(
            Functions.Function1<A, R> call, A a) {
        return DurableCalls.current("Durable.async").call(() -> call.apply(a));
    }

    /** Puts a call with one argument in flight; its method returns nothing. */
    public static <A extends @Nullable Object> Promise<@Nullable Void> async(Functions.Procedure1<A> call, A a) {
        return DurableCalls.current("Durable.async").call(() -> {
            call.apply(a);
            return null;
        });
    }

    /** Puts a call with 2 arguments in flight. */
    public static <A extends @Nullable Object, B extends @Nullable Object, R extends @Nullable Object> Promise<R> async(
            Functions.Function2<A, B, R> call, A a, B b) {
        return DurableCalls.current("Durable.async").call(() -> call.apply(a, b));
    }

    /** Puts a call with 2 arguments in flight; its method returns nothing. */
    public static <A extends @Nullable Object, B extends @Nullable Object> Promise<@Nullable Void> async(
            Functions.Procedure2<A, B> call, A a, B b) {
        return DurableCalls.current("Durable.async").call(() -> {
            call.apply(a, b);
            return null;
        });
    }

    /** Puts a call with 3 arguments in flight. */
    public static <
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    R extends @Nullable Object>
            Promise<R> async(Functions.Function3<A, B, C, R> call, A a, B b, C c) {
        return DurableCalls.current("Durable.async").call(() -> call.apply(a, b, c));
    }

    /** Puts a call with 3 arguments in flight; its method returns nothing. */
    public static <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object>
            Promise<@Nullable Void> async(Functions.Procedure3<A, B, C> call, A a, B b, C c) {
        return DurableCalls.current("Durable.async").call(() -> {
            call.apply(a, b, c);
            return null;
        });
    }

    /** Puts a call with 4 arguments in flight. */
    public static <
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    R extends @Nullable Object>
            Promise<R> async(Functions.Function4<A, B, C, D, R> call, A a, B b, C c, D d) {
        return DurableCalls.current("Durable.async").call(() -> call.apply(a, b, c, d));
    }

    /** Puts a call with 4 arguments in flight; its method returns nothing. */
    public static <
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object>
            Promise<@Nullable Void> async(Functions.Procedure4<A, B, C, D> call, A a, B b, C c, D d) {
        return DurableCalls.current("Durable.async").call(() -> {
            call.apply(a, b, c, d);
            return null;
        });
    }

    /** Puts a call with 5 arguments in flight. */
    public static <
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object,
                    R extends @Nullable Object>
            Promise<R> async(Functions.Function5<A, B, C, D, E, R> call, A a, B b, C c, D d, E e) {
        return DurableCalls.current("Durable.async").call(() -> call.apply(a, b, c, d, e));
    }

    /** Puts a call with 5 arguments in flight; its method returns nothing. */
    public static <
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object>
            Promise<@Nullable Void> async(Functions.Procedure5<A, B, C, D, E> call, A a, B b, C c, D d, E e) {
        return DurableCalls.current("Durable.async").call(() -> {
            call.apply(a, b, c, d, e);
            return null;
        });
    }

    /** Puts a call with 6 arguments in flight. */
    public static <
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object,
                    F extends @Nullable Object,
                    R extends @Nullable Object>
            Promise<R> async(Functions.Function6<A, B, C, D, E, F, R> call, A a, B b, C c, D d, E e, F f) {
        return DurableCalls.current("Durable.async").call(() -> call.apply(a, b, c, d, e, f));
    }

    /** Puts a call with 6 arguments in flight; its method returns nothing. */
    public static <
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object,
                    F extends @Nullable Object>
            Promise<@Nullable Void> async(Functions.Procedure6<A, B, C, D, E, F> call, A a, B b, C c, D d, E e, F f) {
        return DurableCalls.current("Durable.async").call(() -> {
            call.apply(a, b, c, d, e, f);
            return null;
        });
    }

    /** A stub of the activity type with other options than declared. */
    public static <A> A activities(Class<A> type, Consumer<ActivityOptionsBuilder> options) {
        return DurableCalls.current("Durable.activities").activities(type, options);
    }

    /** A stub of the activity type with its declared options. */
    public static <A> A activities(Class<A> type) {
        return activities(type, options -> {});
    }

    /**
     * Calls an activity by name. Where an activity type that declares it, by name or alias, is registered with this engine
     * (implemented or injected), the call means what it means through a stub: it has the options of type, method and
     * configuration, and arguments that the method does not take stall the run. Elsewhere it has the default options, and
     * arguments are written as what they are. A failure of its body is always an {@link ActivityFailedException}.
     */
    public static <T> T activity(String name, Class<T> resultType, @Nullable Object... arguments) {
        return activity(name, options -> {}, resultType, arguments);
    }

    /** Calls an activity by name, for a generic result. */
    public static <T> T activity(String name, TypeRef<T> resultType, @Nullable Object... arguments) {
        return activity(name, options -> {}, resultType, arguments);
    }

    /**
     * Calls an activity by name with other options than declared: {@code Durable.activity("Payments.charge", o ->
     * o.startToClose(ofMinutes(1)), String.class, id, amount)}.
     */
    public static <T> T activity(
            String name, Consumer<ActivityOptionsBuilder> options, Class<T> resultType, @Nullable Object... arguments) {
        return DurableCalls.current("Durable.activity").activity(name, options, resultType, arguments);
    }

    /** Calls an activity by name with other options than declared, for a generic result. */
    public static <T> T activity(
            String name,
            Consumer<ActivityOptionsBuilder> options,
            TypeRef<T> resultType,
            @Nullable Object... arguments) {
        return DurableCalls.current("Durable.activity").activity(name, options, resultType.type(), arguments);
    }

    /**
     * Starts a workflow as a child of this run: {@code startChild(Shipping.class, w -> w.run(order)).result()}. The
     * workflow id is made of this run's, its task queue is that of its type, and it is terminated if this run ends before
     * it; {@link ChildOptions} change that.
     *
     * @throws UsageException if the lambda is not exactly one call of a run method, the arguments or options do not fit,
     *     or this run has too many open children
     * @throws CancelledException if the calling coroutine is cancelled
     */
    public static <W, R extends @Nullable Object> ChildHandle<W, R> startChild(Class<W> type, Call<W, R> call) {
        return startChild(type, ChildOptions.defaults(), call);
    }

    /** Starts a workflow as a child of this run: {@code startChild(Shipping.class, ChildOptions.id("s-7"), w -> w.run(order))}. */
    public static <W, R extends @Nullable Object> ChildHandle<W, R> startChild(
            Class<W> type, ChildOptions options, Call<W, R> call) {
        DurableCalls run = DurableCalls.current("Durable.startChild");
        return run.startChild(type, options, Recorder.childRun(type, call));
    }

    /** Starts a workflow without a result as a child of this run. */
    public static <W> ChildHandle<W, @Nullable Void> startVoidChild(Class<W> type, VoidCall<W> call) {
        return startVoidChild(type, ChildOptions.defaults(), call);
    }

    /** Starts a workflow without a result as a child of this run, with other options. */
    public static <W> ChildHandle<W, @Nullable Void> startVoidChild(
            Class<W> type, ChildOptions options, VoidCall<W> call) {
        DurableCalls run = DurableCalls.current("Durable.startVoidChild");
        return run.startChild(type, options, Recorder.childRun(type, call));
    }

    /** Starts a child by the name of its type: {@code startChild("Shipping", ChildOptions.defaults(), Receipt.class, order)}. */
    public static <R> ChildHandle<Object, R> startChild(
            String type, ChildOptions options, Class<R> resultType, @Nullable Object... arguments) {
        return DurableCalls.current("Durable.startChild").startChild(type, options, resultType, arguments);
    }

    /** Starts a child by the name of its type, for a generic result. */
    public static <R> ChildHandle<Object, R> startChild(
            String type, ChildOptions options, TypeRef<R> resultType, @Nullable Object... arguments) {
        return DurableCalls.current("Durable.startChild").startChild(type, options, resultType.type(), arguments);
    }

    /**
     * The children that earlier runs of this chain have started, in the order of their starts: those that were open when
     * the run before continued as new, and those that had ended and whose results no code had read. Children outlive the
     * run that started them, as long as its chain goes on.
     *
     * <p>The handles know no class of the child, whatever is registered in this process: {@code result()} is the JSON as
     * maps, lists, strings and numbers, and every failure is data. {@link ChildHandle#resultAs} and {@link
     * ChildHandle#resultPromiseAs} read the result as a type, {@link #child} gives a handle with a class.
     */
    public static List<ChildHandle<?, ?>> children() {
        return DurableCalls.current("Durable.children").inheritedChildren();
    }

    /**
     * The child of this workflow id that an earlier run of this chain has started: {@code child(Shipping.class,
     * "shipping-7").resultAs(Receipt.class)}.
     *
     * @throws UsageException if {@link #children} has none of that workflow id and type
     */
    public static <W> ChildHandle<W, ?> child(Class<W> type, String workflowId) {
        return DurableCalls.current("Durable.child").child(type, workflowId);
    }

    /**
     * Opens a callback: a result that comes from outside, from the holder of its token. {@code var approval =
     * Durable.callback(Approval.class, Duration.ofDays(3)); mails.ask(approval.token()); approval.promise().get()}.
     *
     * @param timeout the time after which the promise fails with {@link WaitTimedOutException}
     * @throws UsageException if the timeout is not above zero
     * @throws CancelledException if the calling coroutine is cancelled
     */
    public static <T> Callback<T> callback(Class<T> type, Duration timeout) {
        return DurableCalls.current("Durable.callback").callback(type, timeout);
    }

    /** Opens a callback for a generic result. */
    public static <T> Callback<T> callback(TypeRef<T> type, Duration timeout) {
        return DurableCalls.current("Durable.callback").callback(type.type(), timeout);
    }

    /**
     * A stream of the chain of this run, to which code appends values that any number of readers outside see as they
     * come: {@code Durable.stream("tokens", Chunk.class).append(chunk)}. Runs that continue this one, and activities
     * ({@link ActivityContext#stream(String, Class)}), append to it, too.
     *
     * @throws UsageException if it can't be the name of a stream
     */
    public static <T> WorkflowStream<T> stream(String name, Class<T> type) {
        return DurableCalls.current("Durable.stream").stream(name, type);
    }

    /** A stream of values of a generic type. */
    public static <T> WorkflowStream<T> stream(String name, TypeRef<T> type) {
        return DurableCalls.current("Durable.stream").stream(name, type.type());
    }

    /**
     * Another workflow, by its id, to send signals and requests to cancel: {@code external(OrderWorkflow.class,
     * "order-42").signal(w -> w.approve("ann"))}. Messages go to the run that is open under the id when they are
     * delivered, after the commit of the turn that sends them.
     *
     * @throws UsageException if the class declares no workflow
     */
    public static <W> ExternalWorkflow<W> external(Class<W> type, String workflowId) {
        return DurableCalls.current("Durable.external").external(type, workflowId);
    }

    /**
     * Ends this run, and has another one go on under its workflow id with a history of its own: for a workflow that lives
     * for long, or reads messages without end. Write it with {@code throw}, as it never returns:
     *
     * <pre>{@code
     * throw Durable.continueAsNew(Subscription.class, w -> w.run(state));
     * }</pre>
     *
     * <p>The call waits for the handlers for which the end of a run waits; then it cancels all else that is under way, and
     * waits for activities whose options say so. Messages that come meanwhile are handled. The lambda is called behind
     * that, so that its arguments hold what the handlers have done. Messages that come later, or that no handler has
     * seen, are for the next run, in their order; none is lost or refused. The memo, the headers, the task queue, the run
     * timeout (which begins anew) and the execution timeout (which goes on) are the next run's, too.
     *
     * <p>A handle that {@code client.start} has given, or one by workflow id, goes on to the next run; {@code result()}
     * waits for the last. A run that continues before it was fed anything waits a second, so that a loop does not write
     * runs without end.
     *
     * @param type the workflow type of the next run, this one's or another
     * @param call the call of its run method, {@code w -> w.run(state)}
     * @throws UsageException on a coroutine of a handler or of {@code Durable.async}, in {@code Durable.detached}, and while
     *     undos of {@code Durable.compensate} are registered
     * @throws CancelledException where the run was asked to cancel
     */
    public static <W> RuntimeException continueAsNew(Class<W> type, VoidCall<W> call) {
        return continueAsNew(type, options -> {}, call);
    }

    /** Continues as new with other options than this run has. */
    public static <W> RuntimeException continueAsNew(
            Class<W> type, Consumer<ContinueOptionsBuilder> options, VoidCall<W> call) {
        return DurableCalls.current("Durable.continueAsNew").continuing().as(type, options, call);
    }

    /** Continues as new as a workflow by the name of its type, where its class is not known here. */
    public static RuntimeException continueAsNew(String type, @Nullable Object... arguments) {
        return continueAsNew(type, options -> {}, arguments);
    }

    /** Continues as new by the name of a type, with other options than this run has. */
    public static RuntimeException continueAsNew(
            String type, Consumer<ContinueOptionsBuilder> options, @Nullable Object... arguments) {
        return DurableCalls.current("Durable.continueAsNew").continuing().as(type, options, arguments);
    }

    /** Runs the supplier once, ever, and records what it gave; it must not command or wait. */
    public static <T extends @Nullable Object> T sideEffect(Class<T> type, Body<T> supplier) {
        return DurableCalls.current("Durable.sideEffect").sideEffect(type, supplier);
    }

    /** Runs the supplier once, ever, and records its value, which has a generic type; it must not command or wait. */
    public static <T extends @Nullable Object> T sideEffect(TypeRef<T> type, Body<T> supplier) {
        return DurableCalls.current("Durable.sideEffect").sideEffect(type.type(), supplier);
    }

    /** Runs the body inline, shielded from cancellation: for clean-up. What it throws passes through as it is. */
    public static <T extends @Nullable Object, X extends Exception> T detached(ShieldedBody<T, X> body) throws X {
        return DurableCalls.current("Durable.detached").detached(body);
    }

    /** Runs a body that returns nothing inline, shielded from cancellation: for clean-up. */
    public static <X extends Exception> void detached(ShieldedVoidBody<X> body) throws X {
        DurableCalls.current("Durable.detached").<@Nullable Void, X>detached(() -> {
            body.run();
            return null;
        });
    }

    /**
     * A promise that the run's own code completes, as its handlers do. It may be made in a field of the workflow.
     *
     * @param type the type of its values, which {@code complete} checks, and by which waits and errors name the promise
     */
    public static <T extends @Nullable Object> CompletablePromise<T> newPromise(Class<T> type) {
        return DurableCalls.current("Durable.newPromise").newPromise(type);
    }

    /** A promise that the run's own code completes with values of a generic type; {@code complete} checks their class. */
    public static <T extends @Nullable Object> CompletablePromise<T> newPromise(TypeRef<T> type) {
        return DurableCalls.current("Durable.newPromise").newPromise(type.type());
    }

    /**
     * Runs the block until it succeeds or the policy allows no further attempt; then its last failure is thrown as it
     * is. The waits between attempts are durable timers. Never retried are cancellations, {@code Error}s and misuses of
     * the library; exceptions decide as those of an activity do: {@link NonRetryableException}, {@link
     * RetryAfterException}, {@link RetryableException}, {@link DeferException}. Calls that succeeded in a failed attempt
     * are made again. Compensations that a failed attempt has registered with the run stay registered, since it may
     * have taken effect; a {@link #saga} in the block is undone before the next attempt. Calls that a failed attempt
     * has left in flight go on.
     */
    public static <T extends @Nullable Object, X extends Exception> T retry(RetryPolicy policy, ShieldedBody<T, X> body)
            throws X {
        return RetriedBlocks.retry(o -> o.policy(policy), body);
    }

    /** Retries a block that returns nothing by the policy. */
    public static <X extends Exception> void retry(RetryPolicy policy, ShieldedVoidBody<X> body) throws X {
        retry(o -> o.policy(policy), body);
    }

    /** Retries the block by these options: {@code Durable.retry(o -> o.maxAttempts(5), () -> …)}. */
    public static <T extends @Nullable Object, X extends Exception> T retry(
            Consumer<RetryOptionsBuilder> options, ShieldedBody<T, X> body) throws X {
        return RetriedBlocks.retry(options, body);
    }

    /** Retries a block that returns nothing by these options. */
    public static <X extends Exception> void retry(Consumer<RetryOptionsBuilder> options, ShieldedVoidBody<X> body)
            throws X {
        RetriedBlocks.<@Nullable Void, X>retry(options, () -> {
            body.run();
            return null;
        });
    }

    /**
     * Makes the call until {@code done} accepts its value, and returns that value. The waits between calls are durable
     * timers with the delays of the policy. A failure of the call is thrown at once.
     *
     * @throws WaitTimedOutException when attempts or time are used up; a short last value is in its text
     */
    public static <T extends @Nullable Object, X extends Exception> T poll(
            RetryPolicy policy, ShieldedBody<T, X> call, Predicate<? super T> done) throws X {
        return RetriedBlocks.poll(o -> o.policy(policy), call, done);
    }

    /** Polls by these options: {@code Durable.poll(o -> o.within(ofHours(1)), () -> bank.status(id), Status::isFinal)}. */
    public static <T extends @Nullable Object, X extends Exception> T poll(
            Consumer<RetryOptionsBuilder> options, ShieldedBody<T, X> call, Predicate<? super T> done) throws X {
        return RetriedBlocks.poll(options, call, done);
    }

    /**
     * Runs the body, and undoes what it has registered with {@link Saga#compensate} if it fails or is cancelled: all
     * that the body has in flight is cancelled and has ended, then the undos run in reverse order, shielded; then the
     * failure is thrown as it is, with failures of undos as its suppressed ones. Nothing is undone where the run stalls
     * by the exception.
     */
    public static <T extends @Nullable Object, X extends Exception> T saga(SagaBody<T, X> body) throws X {
        return SagaScope.run(body);
    }

    /** Runs a body that returns nothing as a saga. */
    public static <X extends Exception> void sagaVoid(SagaVoidBody<X> body) throws X {
        SagaScope.<@Nullable Void, X>run(saga -> {
            body.run(saga);
            return null;
        });
    }

    /** Registers an undo: run in reverse order, shielded, if the run fails or is cancelled. */
    public static void compensate(VoidBody undo) {
        DurableCalls.current("Durable.compensate").compensate(undo);
    }

    /** The version of this piece of code for this run; 0 is the code before the change. */
    public static int version(String changeId, int min, int max) {
        return DurableCalls.current("Durable.version").version(changeId, min, max);
    }

    /** Returns whether this run has the changed code: {@code version(changeId, 0, 1) == 1}. */
    public static boolean patched(String changeId) {
        return version(changeId, 0, 1) == 1;
    }

    /**
     * Returns whether all signal handlers that have begun have returned: a condition to {@code await} before the end.
     */
    public static boolean allHandlersFinished() {
        return DurableCalls.current("Durable.allHandlersFinished").allHandlersFinished();
    }

    /**
     * Says what the run is doing, in one line for people: {@code Durable.details("waiting for the bank")}. {@code
     * describe()}, listings and {@code v_workflow} show it as plain text, also when the run has closed. It is no event:
     * a replay sets it again, and it is written with the turn that changed it. A line of more than 500 characters is
     * cut, and line breaks become blanks. The run that continues this one as new begins without.
     *
     * @param line null or empty takes it away
     */
    public static void details(@Nullable String line) {
        DurableCalls.current("Durable.details").details(line);
    }

    /** Ids, type, history length. */
    public static WorkflowInfo info() {
        return DurableCalls.current("Durable.info").info();
    }

    /** A logger that is silent during replay; works anywhere, fine in a static field. */
    public static Logger logger(Class<?> type) {
        return DurableCalls.logger(type);
    }
}
