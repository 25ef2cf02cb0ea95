package dev.durable.internal.run;

import dev.durable.DurableException;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.HistoryEvent;
import dev.durable.history.SignalReceived;
import dev.durable.history.UpdateAccepted;
import dev.durable.history.WorkflowCancelled;
import dev.durable.history.WorkflowCompleted;
import dev.durable.history.WorkflowContinuedAsNew;
import dev.durable.history.WorkflowFailed;
import dev.durable.history.WorkflowStarted;
import dev.durable.history.WorkflowTerminated;
import dev.durable.history.WorkflowTimedOut;
import dev.durable.intercept.ChildStartCall;
import dev.durable.intercept.ContextPropagator;
import dev.durable.intercept.ReplayCall;
import dev.durable.intercept.ScheduleCall;
import dev.durable.intercept.TurnCall;
import dev.durable.intercept.WorkEnd;
import dev.durable.internal.intercept.Interception;
import dev.durable.internal.intercept.Propagation;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.replay.WorkflowInstance;
import dev.durable.internal.replay.call.LocalWork;
import dev.durable.internal.replay.match.Turn;
import dev.durable.store.RunKey;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes the turns and the replay of one run through the worker's interceptors, in the context of the run. Used by one
 * thread at a time.
 */
final class RunInterception {
    private final RunKey run;
    private final String type;
    private final Interception interception;
    private Map<String, String> headers = Map.of();
    private String taskQueue = "";
    private Instant startedAt = Instant.EPOCH;
    private final Map<Integer, Map<String, String>> headersOfJobs = new HashMap<>(4);
    private final Map<Long, Map<String, String>> headersOfChildren = new HashMap<>(4);

    private RunInterception(RunKey run, String type, Interception interception) {
        this.run = run;
        this.type = type;
        this.interception = interception;
    }

    /** Returns the interception of a run; null where no interceptor is registered that a turn would pass through. */
    static @Nullable RunInterception of(RunKey run, String type, Interception interception) {
        return interception.isOfWorkers() ? new RunInterception(run, type, interception) : null;
    }

    /** Keeps the headers of the start; called before the first turn. */
    void started(WorkflowStarted event) {
        headers = event.headers();
        taskQueue = event.taskQueue();
        startedAt = event.at();
    }

    /** Returns whether the turns of replays pass through it one by one. */
    boolean seesReplayedTurns() {
        return interception.worker().seesReplayedTurns();
    }

    /**
     * Makes a new turn; the activities that it schedules and the children that it starts get their headers inside of the
     * interceptors.
     *
     * @param instance the instance, which has the local activities that were not begun yet, and knows when it ends
     */
    Turn turn(HistoryEvent.Inbound event, Supplier<Turn> turn, WorkflowInstance instance) {
        return turn(
                event,
                false,
                () -> {
                    Turn made = turn.get();
                    for (HistoryEvent.Command command : made.commands()) {
                        if (command instanceof ActivityScheduled scheduled) {
                            headersOfJobs.put(scheduled.seq(), schedule(scheduled, false));
                        } else if (command instanceof ChildStartRequested child) {
                            headersOfChildren.put(child.number(), startChild(child));
                        }
                    }
                    for (LocalWork local : instance.unheardLocals()) {
                        // Cancellations that wait for the next turn are seen again then.
                        if (!local.cancelled()) {
                            headersOfJobs.computeIfAbsent(local.call().seq(), seq -> schedule(local.call(), true));
                        }
                    }
                    return made;
                },
                () -> instance.isOver() ? endOf(instance) : null);
    }

    private static @Nullable WorkEnd endOf(WorkflowInstance instance) {
        // The number of the event does not matter.
        return switch (instance.close(1)) {
            case WorkflowCompleted ignored -> new WorkEnd(WorkEnd.Kind.RUN_COMPLETED, null);
            case WorkflowFailed failed -> new WorkEnd(WorkEnd.Kind.RUN_FAILED, FailureCodec.loggable(failed.failure()));
            case WorkflowCancelled ignored -> new WorkEnd(WorkEnd.Kind.RUN_CANCELLED, null);
            case WorkflowTimedOut ignored -> null;
            case WorkflowTerminated ignored -> null;
            case WorkflowContinuedAsNew ignored -> null;
            case null -> null;
        };
    }

    /** Makes a turn of a replay. */
    void replayedTurn(HistoryEvent.Inbound event, Runnable turn) {
        turn(
                event,
                true,
                () -> {
                    turn.run();
                    return null;
                },
                () -> null);
    }

    private Map<String, String> schedule(ActivityScheduled scheduled, boolean local) {
        Map<String, String> before = headersWith(scheduled.options().headers());
        return interception
                .worker()
                .schedule(
                        new ScheduleCall(
                                run.workflowId(),
                                run.runId(),
                                type,
                                scheduled.activity(),
                                scheduled.seq(),
                                scheduled.taskQueue(),
                                local,
                                new LinkedHashMap<>(before)),
                        before);
    }

    private Map<String, String> startChild(ChildStartRequested child) {
        Map<String, String> before = headersWith(child.options().headers());
        return interception
                .worker()
                .startChild(
                        new ChildStartCall(
                                run.workflowId(),
                                run.runId(),
                                type,
                                child.number(),
                                child.workflowId(),
                                child.runId(),
                                child.workflowType(),
                                child.taskQueue(),
                                new LinkedHashMap<>(before)),
                        before);
    }

    /** Returns the headers of the run with these over them. */
    private Map<String, String> headersWith(Map<String, String> others) {
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.putAll(others);
        return all;
    }

    /** Returns the headers of a child, as {@link #takeHeaders} those of an activity. */
    @Nullable
    Map<String, String> takeHeadersOfChild(long number) {
        return headersOfChildren.remove(number);
    }

    /**
     * Returns the headers of an activity as interceptors have changed them in a turn that was made here; null where
     * they have not.
     */
    @Nullable
    Map<String, String> takeHeaders(int seq) {
        return headersOfJobs.remove(seq);
    }

    private <T extends @Nullable Object> T turn(
            HistoryEvent.Inbound event, boolean replaying, Supplier<T> turn, Supplier<@Nullable WorkEnd> end) {
        TurnCall call = new TurnCall(
                run.workflowId(),
                run.runId(),
                type,
                taskQueue,
                event.type(),
                event.id(),
                event instanceof SignalReceived signal ? signal.name() : null,
                event instanceof UpdateAccepted update ? update.name() : null,
                replaying,
                startedAt,
                headers);
        try (ContextPropagator.Scope context = restored()) {
            return interception.worker().turn(call, turn, end);
        }
    }

    <T extends @Nullable Object> T replay(Supplier<T> replay) {
        return interception.worker().replay(new ReplayCall(run.workflowId(), run.runId(), type, headers), replay);
    }

    private ContextPropagator.Scope restored() {
        try {
            return interception.context().restore(headers);
        } catch (RuntimeException e) {
            throw new DurableException(Propagation.notRestored(type + " " + run.shown(), e), e);
        }
    }
}
