package dev.durable.internal.replay.call;

import dev.durable.CancelledException;
import dev.durable.HandlerUnfinishedPolicy;
import dev.durable.PayloadException;
import dev.durable.WorkflowInfo;
import dev.durable.history.ActivityCancelled;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.Payload;
import dev.durable.history.SignalReceived;
import dev.durable.history.TimerFired;
import dev.durable.history.UpdateAccepted;
import dev.durable.history.UpdateCompleted;
import dev.durable.history.UpdateFailed;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.history.WorkflowForked;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.replay.coroutine.CheckedTask;
import dev.durable.internal.replay.coroutine.Coroutine;
import dev.durable.internal.replay.coroutine.HistoryDecoder;
import dev.durable.internal.replay.coroutine.PromiseOutcome;
import dev.durable.internal.replay.coroutine.Restriction;
import dev.durable.internal.replay.match.ReplaySetup;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies one inbound event to a run: settles the promise to which it belongs, or starts the handler's coroutine. Runs
 * no user code itself.
 */
public final class EventApplier {
    private static final Logger log = LoggerFactory.getLogger(EventApplier.class);

    /**
     * The flags of replay rules that not all runs follow, in {@code WorkflowStarted.flags}: so far all runs follow all
     * rules.
     */
    private static final int KNOWN_FLAGS = 0;

    private final DurableCalls run;
    private final WorkflowType type;
    private final HistoryDecoder decoder;
    private final ReplaySetup setup;
    private final ActivityOutcomes outcomes;
    private @Nullable WorkflowStarted started;
    private @Nullable Coroutine ofRun;
    private @Nullable Object workflow;
    /** True where the event before this one waits for it: see {@link SignalReceived#withNext}. */
    private boolean joined;
    /** True where this event is that of the first turn, or each event before it waits for the next. */
    private boolean first;

    EventApplier(DurableCalls run, WorkflowType type, HistoryDecoder decoder, ReplaySetup setup) {
        this.run = run;
        this.type = type;
        this.decoder = decoder;
        this.setup = setup;
        this.outcomes = new ActivityOutcomes(
                decoder, setup.failures(), type.implementation().getClassLoader());
    }

    /** Returns whether the event can be the next one of the run: an outcome must belong to an open operation. */
    public boolean accepts(HistoryEvent.Inbound event) {
        return switch (event) {
            case WorkflowStarted e -> started == null;
            case HistoryEvent.ActivityClosed e -> run.work().isActivityOpen(e.seq(), e.local());
            case TimerFired e -> run.work().isTimerOpen(e.seq());
            case WorkflowCancelRequested e -> started != null;
            case SignalReceived e -> started != null;
            case UpdateAccepted e -> started != null;
            case HistoryEvent.OfChild e -> run.children().accepts(e);
            case HistoryEvent.OfCallback e -> run.work().callbacks().accepts(e);
        };
    }

    /**
     * @param runWaits whether the event is that of a first turn in which the code waits for the messages behind it
     */
    void apply(HistoryEvent.Inbound event, boolean runWaits) {
        first = event instanceof WorkflowStarted || (first && joined);
        run.ending().hears(event, first);
        switch (event) {
            case WorkflowStarted e -> start(e, runWaits);
            case WorkflowCancelRequested e -> cancelRequested(e);
            case ActivityCompleted e -> ended(e.seq(), call -> outcomes.completed(call, e));
            case ActivityFailed e -> ended(e.seq(), call -> outcomes.failed(call, e));
            case ActivityTimedOut e -> ended(e.seq(), call -> outcomes.timedOut(call, e));
            case ActivityCancelled e -> ended(e.seq(), call -> outcomes.cancelled(call, e));
            case TimerFired e -> run.work().fire(e.seq());
            case SignalReceived e -> handle(e);
            case UpdateAccepted e -> handle(e);
            case HistoryEvent.OfChild e -> run.children().apply(e);
            case HistoryEvent.OfCallback e -> run.work().callbacks().apply(e);
        }
        joined = runWaits || isWithNext(event);
    }

    private static boolean isWithNext(HistoryEvent.Inbound event) {
        return switch (event) {
            case SignalReceived signal -> signal.withNext();
            case UpdateAccepted update -> update.withNext();
            case WorkflowCancelRequested cancel -> cancel.withNext();
            case WorkflowStarted ignored -> false;
            case HistoryEvent.ActivityClosed ignored -> false;
            case TimerFired ignored -> false;
            case HistoryEvent.OfChild ignored -> false;
            case HistoryEvent.OfCallback ignored -> false;
        };
    }

    private void cancelRequested(WorkflowCancelRequested event) {
        if (run.ending().isDeaf()) {
            run.handlers().late("the request to cancel the run");
        }
        if (event.withNext()) {
            run.dispatcher().handleFirst(null, true);
        }
        run.ending().cancelRequested(event.reason(), event.by());
    }

    private void ended(int seq, Function<ActivityCall, PromiseOutcome<@Nullable Object>> outcome) {
        OpenActivity activity = run.work().takeActivity(seq);
        activity.ended(outcome.apply(activity.call));
    }

    // ── the run ─────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Becomes the run that was forked here. */
    void forked(WorkflowForked fork) {
        started = started().forked(fork);
    }

    private void start(WorkflowStarted event, boolean waits) {
        started = event;
        run.drawsFor(event.runId());
        if ((event.flags() & ~KNOWN_FLAGS) != 0) {
            run.dispatcher().die(run.dispatcher().threads().newerRules(event.flags()));
            return;
        }
        Coroutine body = run.coroutines().root("run", () -> runToTheEnd(event, waits));
        ofRun = body;
        if (event.chain() != null) {
            run.goOn(event.chain(), body);
        }
        if (waits) {
            run.dispatcher().handleFirst(body, true);
        } else {
            run.dispatcher().ready(body);
        }
    }

    private @Nullable Void runToTheEnd(WorkflowStarted event, boolean waits) {
        try {
            Object object = create();
            workflow = object;
            if (waits && !isStillOpenAfterOthers()) {
                return null;
            }
            MethodSpec method = type.methods().run();
            @Nullable Object result = method.invoke(object, decoder.decodeArguments(method, event));
            awaitHandlers(null);
            run.ending().runReturned(encode(result, method));
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            if (!run.ending().stallsBy(e)) {
                awaitHandlers(e);
                run.ending().runThrew(e);
            }
        }
        return null;
    }

    /**
     * Runs the handlers of messages first that are fed together with the start; returns false where one has ended the
     * run.
     */
    private boolean isStillOpenAfterOthers() {
        Coroutine self = run.dispatcher().running();
        run.dispatcher().ready(self);
        run.dispatcher().block(self);
        run.dispatcher().checkAlive();
        return !run.ending().hasEnded();
    }

    /** Ends the run once the handlers for which it must wait have returned, cancelled or not. */
    private void awaitHandlers(@Nullable Throwable thrown) {
        run.ending().runIsOver(thrown);
        if (run.handlers().isAnyToWaitFor() && !run.ending().hasEnded()) {
            run.detached(() -> {
                run.awaitOwn(() -> !run.handlers().isAnyToWaitFor());
                return null;
            });
        }
    }

    private Object create() throws Throwable {
        Object standIn = type.making().standIn();
        if (standIn != null) {
            return standIn;
        }
        Constructor<?> constructor =
                Objects.requireNonNull(type.constructor(), "a workflow type that only clients know");
        Object[] stubs = type.dependencies().stream()
                .map(dependency -> run.activities().stub(dependency, UnaryOperator.identity()))
                .toArray();
        try {
            return run.restrictions().call(Restriction.CONSTRUCTOR, () -> constructor.newInstance(stubs));
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private Payload encode(@Nullable Object result, MethodSpec method) {
        if ((method.isOfAnyType() || method.isOfAnyName()) && method.returnType() == Object.class) {
            return setup.codec().encodeUndeclared(result, "the result of " + method.name());
        }
        return method.returnType() == void.class
                ? Payload.NULL
                : setup.codec().encode(result, method.returnType(), "the result of " + method.name());
    }

    /** Returns the workflow object; null before it was created, or where its constructor threw. */
    @Nullable
    public Object workflow() {
        return workflow;
    }

    /** Returns whether it is the coroutine of {@code run}. */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    boolean isRun(Coroutine coroutine) {
        return coroutine == ofRun;
    }

    WorkflowStarted started() {
        return Objects.requireNonNull(started, "WorkflowStarted was not fed yet");
    }

    // ── handlers ────────────────────────────────────────────────────────────────────────────────────────────────────

    private void handle(SignalReceived event) {
        MethodSpec method = type.signal(event.name());
        if (run.ending().isDeaf()) {
            run.handlers().late("signal " + event.name());
        }
        if (method == null) {
            tellUnknown(event);
        }
        begin(method == null ? null : handler(method, event), event.withNext());
    }

    /** Makes a handler ready; null where the code has none for the message. */
    private void begin(@Nullable Coroutine handler, boolean withNext) {
        if (joined || withNext) {
            run.dispatcher().handleFirst(handler, withNext);
        } else if (handler != null) {
            run.dispatcher().ready(handler);
        }
    }

    private void tellUnknown(SignalReceived event) {
        run.turnLog()
                .add(() -> log.warn(
                        "{} has no @Signal '{}': the signal stands in the history and changes nothing. It has {}",
                        type.name(),
                        event.name(),
                        type.methods().signals().keySet()));
    }

    private Coroutine handler(MethodSpec method, SignalReceived event) {
        return handler(
                WorkflowType.signalHandler(event.name()),
                type.policyOfSignal(event.name()),
                () -> handle(method, event));
    }

    private Coroutine handler(String name, HandlerUnfinishedPolicy unfinished, CheckedTask<@Nullable Void> body) {
        Coroutine handler = run.coroutines().root(name, () -> {
            run.handlers().begins();
            return body.run();
        });
        if (run.ending().hasEnded()) {
            handler.bornCancelled(RunEnding.RUN_ENDED);
        }
        run.handlers().begin(handler, unfinished);
        return handler;
    }

    private @Nullable Void handle(MethodSpec method, SignalReceived event) {
        Coroutine self = run.dispatcher().running();
        Object object = workflow;
        try {
            if (object != null) {
                method.invoke(object, decoder.decodeArguments(method, event));
            }
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            run.ending().handlerThrew(self, event, e);
        } finally {
            run.handlers().ended(self);
        }
        return null;
    }

    // ── updates ─────────────────────────────────────────────────────────────────────────────────────────────────────

    private void handle(UpdateAccepted event) {
        MethodSpec method = type.update(event.name());
        if (run.ending().isDeaf()) {
            run.handlers().late("update " + event.name());
        }
        begin(method == null ? null : handler(method, event), event.withNext());
    }

    private Coroutine handler(MethodSpec method, UpdateAccepted event) {
        Coroutine handler = handler(
                WorkflowType.updateHandler(event.name()),
                type.policyOfUpdate(event.name()),
                () -> handle(method, event));
        run.handlers().handles(handler, new WorkflowInfo.HandledUpdate(event.updateId(), event.name()));
        return handler;
    }

    /**
     * Runs the handler and gives its end as a command. A handler that the end of the run has cancelled gives none: its
     * caller learns how the run ended.
     */
    private @Nullable Void handle(MethodSpec method, UpdateAccepted event) {
        Coroutine self = run.dispatcher().running();
        try {
            @Nullable
            Object result = method.invoke(Objects.requireNonNull(workflow), decoder.decodeArguments(method, event));
            Payload answer = encode(result, method);
            run.turn().put((id, at) -> new UpdateCompleted(id, at, event.updateId(), answer));
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            // Where another attempt follows, the caller would wait for the end of the chain.
            boolean abandoned = e instanceof CancelledException
                    && run.ending().hasEnded()
                    && run.ending().nextAttempt() == null;
            // A stranger's value that a handler of any name can't read is answered: it must not stall the run.
            boolean unread = method.isOfAnyName() && e instanceof PayloadException;
            if (!abandoned && (unread || !run.ending().stallsBy(self, e))) {
                Failure failure = setup.failures().encode(e, method.named());
                run.turn().put((id, at) -> new UpdateFailed(id, at, event.updateId(), failure));
            }
        } finally {
            run.handlers().ended(self);
        }
        return null;
    }
}
