package dev.durable.internal.replay.call;

import dev.durable.Body;
import dev.durable.CancelledException;
import dev.durable.ContinueOptionsBuilder;
import dev.durable.PayloadException;
import dev.durable.RegistrationException;
import dev.durable.UsageException;
import dev.durable.VoidCall;
import dev.durable.history.Payload;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.declare.Recorded;
import dev.durable.internal.declare.Recorder;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.payload.Unchecked;
import dev.durable.internal.replay.coroutine.Coroutine;
import dev.durable.internal.replay.coroutine.Coroutines;
import dev.durable.internal.replay.coroutine.Dispatcher;
import dev.durable.internal.replay.coroutine.Restriction;
import dev.durable.internal.replay.coroutine.WaitCondition;
import dev.durable.internal.replay.match.ReplaySetup;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
import dev.durable.store.JobStart;
import dev.durable.store.RunIds;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Implements {@code Durable.continueAsNew}. The call waits for all work that would be lost: for the handlers for which the
 * end of a run waits, too, then for the coroutines and operations that it cancels. Messages are fed meanwhile. Only then it
 * takes the arguments, so that they hold the changes by handlers; the run is over in that turn, and no message is fed behind
 * it. The call never returns to the code: its coroutine waits until the instance is dropped.
 */
public final class ContinueCalls {
    private static final Logger log = LoggerFactory.getLogger(ContinueCalls.class);
    private static final String CALL = "Durable.continueAsNew";
    static final String CONTINUED = "the run continues as new";

    private final DurableCalls run;
    private final WaitCalls waiting;
    private final Coroutines coroutines;
    private final Dispatcher dispatcher;
    private final ReplaySetup setup;

    ContinueCalls(
            DurableCalls run, WaitCalls waiting, Coroutines coroutines, Dispatcher dispatcher, ReplaySetup setup) {
        this.run = run;
        this.waiting = waiting;
        this.coroutines = coroutines;
        this.dispatcher = dispatcher;
        this.setup = setup;
    }

    /** Continues as a workflow whose class is known. */
    public <W> RuntimeException as(Class<W> type, Consumer<ContinueOptionsBuilder> options, VoidCall<W> call) {
        Coroutine self = mayCall(type, options, call);
        WorkflowType workflow = checked(() -> setup.registry().workflowOf(type));
        Continuation.Options chosen = Continuation.Options.of(run.started(), options);
        tellUnserved(chosen, workflow.name(), workflow.taskQueue());
        return continueAsNew(self, chosen, workflow.names(), () -> {
            Recorded recorded = Recorder.run(type, call);
            return setup.codec().encodeArguments(workflow.methods().run(), recorded.arguments());
        });
    }

    /** Continues as a workflow by the name of its type. */
    public RuntimeException as(
            String type, Consumer<ContinueOptionsBuilder> options, @Nullable Object @Nullable [] arguments) {
        Coroutine self = mayCall(type, options);
        checked(() -> Bounds.name(CALL + ": the workflow type", type));
        if (type.equals(JobStart.TYPE)) {
            throw new UsageException(CALL + " did not continue the run. " + JobStart.TYPE + " is the type of background"
                    + " jobs, which a client enqueues: a workflow can't become one. Call the activity instead.");
        }
        Continuation.Options chosen = Continuation.Options.of(run.started(), options);
        @Nullable Object[] given = arguments == null ? new @Nullable Object[1] : arguments;
        tellUnserved(chosen, type, null);
        return continueAsNew(
                self,
                chosen,
                setup.registry().workflow(type).map(WorkflowType::names).orElse(List.of(type)),
                () -> setup.registry()
                        .workflow(type)
                        .filter(known -> !known.isOfAnyType())
                        .map(known ->
                                setup.codec().encodeArguments(known.methods().run(), given))
                        .orElseGet(() -> setup.codec().encodeArguments(type, given)));
    }

    private RuntimeException continueAsNew(
            Coroutine self, Continuation.Options options, List<String> typeNames, Body<Payload> arguments) {
        waitForOthers(self);
        refuseLeftovers();
        refuseCallbacks(null);
        Payload input = checked(() -> {
            try {
                return run.restrictions().call(Restriction.CONTINUATION, arguments::run);
            } catch (Throwable e) {
                throw Unchecked.<RuntimeException>raise(e);
            }
        });
        run.ending().continueAsNew(options.next(nextRunId(), typeNames, input));
        while (true) {
            dispatcher.block(self);
            dispatcher.checkAlive();
        }
    }

    /**
     * Warns where the next run stays on the queue of this one, which this worker serves without the next run's type.
     *
     * @param own the task queue that the type's class names; null where only the name of the type is known
     */
    private void tellUnserved(Continuation.Options options, String type, @Nullable String own) {
        String kept = options.keptTaskQueue();
        if (kept != null && setup.registry().workflow(type).isEmpty()) {
            run.turnLog()
                    .add(() -> log.warn(
                            "{} continues as {} on its own task queue {}, and this worker serves that queue and registers"
                                    + " no such type{}: the chain waits until a worker of the queue does. Usual cause: the"
                                    + " option taskQueue(…) of the call was left out",
                            Bounds.shown(run.started().workflowId()),
                            type,
                            kept,
                            own == null || own.equals(kept) ? "" : ", whose class names task queue " + own));
        }
    }

    /** Returns the value, if it is accepted; a refusal stalls the run, as it is a mistake of the code. */
    private static <T> T checked(Supplier<T> value) {
        try {
            return value.get();
        } catch (PayloadException | RegistrationException | IllegalArgumentException e) {
            throw new UsageException(
                    CALL + " did not continue the run. " + Thrown.of(e).words(), e);
        }
    }

    /** Returns the running coroutine, if it may end the run here with these arguments. */
    private Coroutine mayCall(@Nullable Object... given) {
        Coroutine self = waiting.mayCommand(CALL);
        for (Object one : given) {
            if (one == null) {
                throw new UsageException(CALL + " was given null as the type, the options or the call. Write " + CALL
                        + "(Type.class, w -> w.run(state)).");
            }
        }
        refuseElsewhere(self);
        refuseLeftovers();
        refuseCallbacks(self);
        return self;
    }

    private void refuseElsewhere(Coroutine self) {
        if (!run.feed().isRun(self)) {
            throw new UsageException(CALL + " was called on '" + self.name
                    + "'. Only the @Run method itself ends the run: let the handler or the Durable.async body set a field,"
                    + " let run wait for it by Durable.await, and call it there.");
        }
        if (self.isShielded()) {
            throw new UsageException(
                    CALL + " was called inside Durable.detached, whose body is to be done before the run"
                            + " ends. Call it behind that.");
        }
    }

    private void refuseLeftovers() {
        if (run.ending().hasUndos()) {
            throw new UsageException(CALL + " was called while undos are registered by Durable.compensate: the next run"
                    + " would not know them. Do the work that may have to be undone in Durable.saga(…), which is over"
                    + " before this call, or finish it in this run.");
        }
        long children = run.children().notAbandoned();
        if (children > Bounds.CARRIED_CHILDREN) {
            throw new UsageException(CALL + " was called while " + children
                    + " children of the run are open that it does not abandon: the next run goes on with at most "
                    + Bounds.CARRIED_CHILDREN
                    + ". Wait for the results of some of them first.");
        }
    }

    /**
     * Refuses the call while callbacks are open, as no run would take in their outcomes.
     *
     * @param of the coroutine of which callbacks are looked at; null for all
     */
    private void refuseCallbacks(@Nullable Coroutine of) {
        int callbacks = run.work().callbacks().of(of).size();
        if (callbacks > 0) {
            throw new UsageException(
                    CALL + " was called while callbacks are open: " + callbacks + ". The next run would not"
                            + " know them, and the holders of their tokens could not complete them. Wait for their promises before"
                            + " it, or cancel them by promise().cancel().");
        }
    }

    /**
     * Waits for handlers, then cancels the other coroutines and their operations, and waits for those of them whose ends
     * are to be awaited; once more where a handler has begun meanwhile.
     */
    private void waitForOthers(Coroutine self) {
        run.ending().leaves(true);
        try {
            do {
                // A handler that has not begun could not wait or call any more once it is cancelled.
                until(() -> !run.handlers().isAnyToWaitFor() && run.handlers().haveAllBegun());
                long begun = run.handlers().begun();
                run.handlers().abandon(null);
                run.ending().continues(true);
                coroutines.cancelOthers(self, CONTINUED);
                until(() -> isAlone(self) || run.handlers().begun() != begun);
            } while (!isAlone(self));
        } catch (CancelledException e) {
            run.ending().continues(false);
            run.ending().leaves(false);
            throw e;
        }
    }

    private boolean isAlone(Coroutine self) {
        return dispatcher.isAlone(self) && !run.work().hasAwaitedActivity();
    }

    private void until(BooleanSupplier condition) {
        if (!condition.getAsBoolean()) {
            waiting.until(CALL, WaitCondition.condition(condition));
        }
    }

    /** Returns the id of the next run: the same on each replay, and no other run's, as a run has one successor. */
    private UUID nextRunId() {
        return nextRunId(run.started(), run.now());
    }

    static UUID nextRunId(WorkflowStarted before, Instant now) {
        UUID id = before.runId();
        long bits = id.getMostSignificantBits() * 0x9E37_79B9_7F4A_7C15L
                ^ Long.rotateLeft(id.getLeastSignificantBits(), 31);
        return RunIds.create(now, before.workflowId(), bits);
    }
}
