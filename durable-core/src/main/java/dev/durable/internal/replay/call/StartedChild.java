package dev.durable.internal.replay.call;

import dev.durable.ChildHandle;
import dev.durable.Promise;
import dev.durable.TypeRef;
import dev.durable.UsageException;
import dev.durable.VoidCall;
import dev.durable.history.ChildCancelRequested;
import dev.durable.history.ChildSignalRequested;
import dev.durable.history.ChildStartWatched;
import dev.durable.history.Payload;
import dev.durable.internal.declare.Recorded;
import dev.durable.internal.declare.Recorder;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.replay.coroutine.DurablePromise;
import dev.durable.internal.replay.match.ReplaySetup;
import dev.durable.internal.text.Bounds;
import java.lang.reflect.Type;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The handle of a child, for the code of its parent.
 *
 * @param <W> the child's workflow class
 * @param <R> the type of its result
 */
final class StartedChild<W, R extends @Nullable Object> implements ChildHandle<W, R> {
    private static final String NO_REASON = "no reason given";

    private final DurableCalls run;
    private final WaitCalls waiting;
    private final ReplaySetup setup;
    private final @Nullable WorkflowType type;
    private final @Nullable Class<W> declared;
    private final OpenChild child;

    /** @param declared the class by which it was started, or asked for; null where that was a name */
    StartedChild(
            DurableCalls run,
            WaitCalls waiting,
            ReplaySetup setup,
            @Nullable WorkflowType type,
            @Nullable Class<W> declared,
            OpenChild child) {
        this.run = run;
        this.waiting = waiting;
        this.setup = setup;
        this.type = type;
        this.declared = declared;
        this.child = child;
    }

    @Override
    public String workflowId() {
        return child.workflowId;
    }

    @Override
    public UUID runId() {
        return child.runId;
    }

    @Override
    public R result() {
        return resultPromise().get();
    }

    @Override
    @SuppressWarnings("unchecked") // the result is read as the type that the run method, or the caller, says
    public Promise<R> resultPromise() {
        return (Promise<R>) child.result;
    }

    @Override
    public <T> T resultAs(Class<T> as) {
        return resultPromiseAs(as).get();
    }

    @Override
    public <T> T resultAs(TypeRef<T> as) {
        return resultPromiseAs(as).get();
    }

    @Override
    public <T> Promise<T> resultPromiseAs(Class<T> as) {
        return promiseAs(as);
    }

    @Override
    public <T> Promise<T> resultPromiseAs(TypeRef<T> as) {
        return promiseAs(as.type());
    }

    @SuppressWarnings("unchecked") // decoded as this very type, which may be null, as any result
    private <T> Promise<T> promiseAs(Type as) {
        return (Promise<T>) (Promise<?>) child.resultAs(as);
    }

    @Override
    public Promise<@Nullable Void> started() {
        mayCall("ChildHandle.started");
        DurablePromise<@Nullable Void> known = child.started();
        if (known != null) {
            return known;
        }
        DurablePromise<@Nullable Void> watch = child.watched();
        if (run.children().isOpen(child)) {
            long message = run.sent().next();
            journal().put((id, at) -> new ChildStartWatched(id, at, child.number, message));
        } else {
            watch.settle(child.startOutcome());
        }
        return watch;
    }

    @Override
    public void signal(VoidCall<W> call) {
        mayCall("ChildHandle.signal");
        Class<W> known = declared;
        if (known == null) {
            throw new UsageException("ChildHandle.signal(w -> …) needs the class of the child, which this handle does"
                    + " not know. Send the signal by name: signal(\"approve\", \"ann\").");
        }
        Recorded recorded;
        try {
            recorded = Recorder.signal(known, call);
        } catch (IllegalArgumentException e) {
            throw new UsageException("ChildHandle.signal sent nothing. " + e.getMessage(), e);
        }
        send(recorded.name(), recorded.arguments());
    }

    @Override
    public void signal(String name, @Nullable Object... arguments) {
        mayCall("ChildHandle.signal");
        send(name, arguments);
    }

    private void send(String signal, @Nullable Object[] arguments) {
        if (!run.children().isOpen(child)) {
            return;
        }
        Payload recorded = journal().expected() instanceof ChildSignalRequested next
                        && next.number() == child.number
                        && next.signal().equals(signal)
                ? next.input()
                : null;
        Payload input = ExternalCalls.checked(
                "ChildHandle.signal",
                () -> SignalArguments.encode(setup.codec(), type, signal, arguments),
                recorded,
                () -> setup.codec().asRecorded().encodeArguments(signal, arguments));
        long message = run.sent().next();
        journal().put((id, at) -> new ChildSignalRequested(id, at, child.number, message, signal, input));
    }

    @Override
    public void cancel() {
        cancel(NO_REASON);
    }

    @Override
    public void cancel(String reason) {
        mayCall("ChildHandle.cancel");
        String recorded = journal().expected() instanceof ChildCancelRequested next && next.number() == child.number
                ? next.reason()
                : null;
        String why = ExternalCalls.checked(
                "ChildHandle.cancel",
                () -> setup.failures().recordable(Bounds.reason("cancel", reason)),
                recorded,
                () -> setup.failures().recordable(reason));
        if (run.children().isOpen(child)) {
            child.ask(why);
        }
    }

    private CurrentTurn journal() {
        return run.turn();
    }

    /** Checks that the call comes from the code of this run, at a place where it may send. */
    private void mayCall(String call) {
        if (DurableCalls.current(call) != run) {
            throw new UsageException(
                    call + " was called on a child of another run. Keep handles of children in fields of"
                            + " the workflow object or in local variables, never in static fields.");
        }
        waiting.mayCommand(call);
    }

    @Override
    public String toString() {
        return "ChildHandle[" + child + "]";
    }
}
