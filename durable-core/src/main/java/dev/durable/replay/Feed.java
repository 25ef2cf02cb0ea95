package dev.durable.replay;

import dev.durable.declare.MethodSpec;
import dev.durable.declare.WorkflowType;
import dev.durable.history.ActivityCancelled;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.HistoryEvent;
import dev.durable.history.Payload;
import dev.durable.history.SignalReceived;
import dev.durable.history.TimerFired;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.history.WorkflowStarted;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Applies one event: settles what it is the outcome of, or makes a coroutine ready. Runs no user code itself. */
final class Feed {
    private static final Logger log = LoggerFactory.getLogger(Feed.class);

    /** Rules that not all runs follow, as bits of {@code WorkflowStarted.flags}: so far all runs follow all. */
    private static final int KNOWN_FLAGS = 0;

    private final DurableCalls run;
    private final WorkflowType type;
    private final Decoder decoder;
    private final ReplaySetup setup;
    private final ActivityOutcomes outcomes;
    private @Nullable WorkflowStarted started;
    private @Nullable Object workflow;
    private int handlers;

    Feed(DurableCalls run, WorkflowType type, Decoder decoder, ReplaySetup setup) {
        this.run = run;
        this.type = type;
        this.decoder = decoder;
        this.setup = setup;
        this.outcomes = new ActivityOutcomes(
                decoder, setup.failures(), type.implementation().getClassLoader());
    }

    /** Whether it is the next thing that can happen to the run: an outcome must be of something open. */
    boolean accepts(HistoryEvent.Inbound event) {
        return switch (event) {
            case WorkflowStarted e -> started == null;
            case HistoryEvent.ActivityClosed e -> run.work().isActivityOpen(e.seq(), e.local());
            case TimerFired e -> run.work().isTimerOpen(e.seq());
            case WorkflowCancelRequested e -> started != null;
            case SignalReceived e -> started != null;
        };
    }

    void apply(HistoryEvent.Inbound event) {
        switch (event) {
            case WorkflowStarted e -> start(e);
            case WorkflowCancelRequested e -> run.ending().cancelRequested(e.reason(), e.by());
            case ActivityCompleted e -> ended(e.seq(), call -> outcomes.completed(call, e));
            case ActivityFailed e -> ended(e.seq(), call -> outcomes.failed(call, e));
            case ActivityTimedOut e -> ended(e.seq(), call -> outcomes.timedOut(call, e));
            case ActivityCancelled e -> ended(e.seq(), call -> outcomes.cancelled(call, e));
            case TimerFired e -> run.work().fire(e.seq());
            case SignalReceived e -> handle(e);
        }
    }

    private void ended(int seq, Function<ActivityCall, Outcome<@Nullable Object>> outcome) {
        OpenActivity activity = run.work().takeActivity(seq);
        activity.ended(outcome.apply(activity.call));
    }

    // ── the run ─────────────────────────────────────────────────────────────────────────────────────────────────────

    private void start(WorkflowStarted event) {
        started = event;
        if ((event.flags() & ~KNOWN_FLAGS) != 0) {
            run.dispatcher().die(run.dispatcher().threads().newerRules(event.flags()));
            return;
        }
        run.dispatcher().ready(run.coroutines().root("run", () -> runToTheEnd(event)));
    }

    private @Nullable Void runToTheEnd(WorkflowStarted event) {
        try {
            Object object = create();
            workflow = object;
            MethodSpec method = type.run();
            @Nullable Object result = method.invoke(object, decoder.decodeArguments(method, event.input()));
            run.ending().runReturned(encode(result, method));
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            run.ending().runThrew(e);
        }
        return null;
    }

    private Object create() throws Throwable {
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
        return method.returnType() == void.class
                ? Payload.NULL
                : setup.codec().encode(result, method.returnType(), "the result of " + method.name());
    }

    /** The object, once it was made; null while it is not, or where its constructor threw. */
    @Nullable
    Object workflow() {
        return workflow;
    }

    WorkflowStarted started() {
        return Objects.requireNonNull(started, "WorkflowStarted was not fed yet");
    }

    // ── handlers ────────────────────────────────────────────────────────────────────────────────────────────────────

    private void handle(SignalReceived event) {
        MethodSpec method = type.signals().get(event.name());
        if (method == null) {
            run.turnLog()
                    .add(() -> log.warn(
                            "{} has no @Signal '{}': the signal stands in the history and changes nothing. It has {}",
                            type.name(),
                            event.name(),
                            type.signals().keySet()));
            return;
        }
        Coroutine handler = run.coroutines().root("signal " + event.name(), () -> handle(method, event));
        if (run.ending().hasEnded()) {
            handler.bornCancelled(Ending.RUN_ENDED);
        }
        handlers++;
        run.dispatcher().ready(handler);
    }

    private @Nullable Void handle(MethodSpec method, SignalReceived event) {
        Object object = workflow;
        try {
            if (object != null) {
                method.invoke(object, decoder.decodeArguments(method, event.input()));
            }
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            run.ending().handlerThrew(run.dispatcher().running(), e);
        } finally {
            handlers--;
        }
        return null;
    }

    /** Whether a handler has begun, or is about to, and not returned. */
    boolean hasHandlers() {
        return handlers > 0;
    }
}
