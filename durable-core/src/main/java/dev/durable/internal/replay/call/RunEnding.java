package dev.durable.internal.replay.call;

import dev.durable.CancelledException;
import dev.durable.UsageException;
import dev.durable.VoidBody;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.Payload;
import dev.durable.history.SignalReceived;
import dev.durable.history.WorkflowCancelled;
import dev.durable.history.WorkflowCompleted;
import dev.durable.history.WorkflowFailed;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.replay.coroutine.Coroutine;
import dev.durable.internal.replay.coroutine.Coroutines;
import dev.durable.internal.replay.coroutine.Dispatcher;
import dev.durable.internal.replay.coroutine.DurablePromise;
import dev.durable.internal.replay.match.PendingWait;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state machine of a run's end: result, clean-up, compensations, closing command.
 *
 * <pre>
 * OPEN ── run returned or threw, or a handler threw ──► CLEANING_UP    the result is fixed; all not shielded is cancelled
 * CLEANING_UP ── all coroutines ended, no awaited activity open ──► CLOSABLE       completed, or nothing to undo
 * CLEANING_UP ── all coroutines ended, no activity open at all ──► UNDOING                 one coroutine, shielded, in reverse
 * UNDOING ── all coroutines ended, no awaited activity open ──► CLOSABLE
 * </pre>
 *
 * Awaited are shielded activities, and cancelled ones whose calls stay open until their outcome. Any cancelled activity
 * stays open until its outcome, and undoing waits for it, as an effect that may still happen can't be undone yet. A run
 * that another attempt follows is undone also where only activities or children are open, so that they have ended before
 * it begins.
 */
public final class RunEnding {
    /** The reason with which open operations are cancelled at the end. */
    static final String RUN_ENDED = "the run has ended";

    private static final Logger log = LoggerFactory.getLogger(RunEnding.class);

    private enum Phase {
        OPEN,
        CLEANING_UP,
        UNDOING,
        CLOSABLE
    }

    private sealed interface Result {
        record Returned(Payload value) implements Result {}

        record Threw(Failure failure, @Nullable NextAttempt next) implements Result {}

        record Cancelled(String reason, String by) implements Result {}

        record Continued(Continuation next) implements Result {}
    }

    private final Dispatcher dispatcher;
    private final Coroutines coroutines;
    private final OpenWork work;
    private final HandlersUnderWay handlers;
    private final TurnLog turnLog;
    private final StallRules stalls;
    private final Function<Throwable, Failure> encode;
    private final RunRetries retries;
    private final Deque<VoidBody> undos = new ArrayDeque<>();
    private final List<Failure> failedUndos = new ArrayList<>();
    private final Set<DurablePromise<?>> unobserved = new LinkedHashSet<>();
    private final UnusedSignals unused = new UnusedSignals();
    private final FailingTurn failingTurn = new FailingTurn();
    /**
     * True once {@code run} has returned or thrown; the end of the run may follow later, when handlers have returned.
     */
    private boolean runIsOver;

    private @Nullable Throwable thrownByRun;
    private Phase phase = Phase.OPEN;
    private @Nullable Result result;
    private boolean continues;
    private boolean leaves;
    private Result.@Nullable Cancelled cancelled;

    RunEnding(
            Dispatcher dispatcher,
            Coroutines coroutines,
            OpenWork work,
            HandlersUnderWay handlers,
            TurnLog turnLog,
            StallRules stalls,
            Function<Throwable, Failure> encode,
            RunRetries retries) {
        this.dispatcher = dispatcher;
        this.coroutines = coroutines;
        this.work = work;
        this.handlers = handlers;
        this.turnLog = turnLog;
        this.stalls = stalls;
        this.encode = encode;
        this.retries = retries;
        dispatcher.whenQuiet(this::goOn);
    }

    // ── causes of the end ────────────────────────────────────────────────────────────────────────────────────────────

    void cancelRequested(String reason, String by) {
        if (cancelled == null) {
            cancelled = new Result.Cancelled(reason, by);
        }
        String why = "the run was cancelled by " + by + ": " + reason;
        coroutines.cancelAll(why);
        if (continues) {
            continues = false;
            work.children().cancelAll(why); // those of coroutines that were cancelled, and are gone
        }
    }

    /**
     * Notes that the method {@code run} is over. The end of the run may have to wait for handlers; {@code run} sees no
     * message that comes meanwhile.
     *
     * @param thrown its exception, which is the end of the run whatever handlers throw now; null where it returned
     */
    void runIsOver(@Nullable Throwable thrown) {
        runIsOver = true;
        thrownByRun = thrown;
        if (thrown != null) {
            failingTurn.fails(thrown);
        }
    }

    /** Returns the memory of where the failure of the run arose. */
    FailingTurn failingTurn() {
        return failingTurn;
    }

    /** Returns whether messages are late from now on, because {@code run} is over or a handler has ended the run. */
    public boolean isDeaf() {
        return runIsOver || hasEnded();
    }

    void runReturned(Payload value) {
        fix(new Result.Returned(value), null);
    }

    /**
     * Returns whether the run stalls by the exception of {@code run}; to be called before anything of that turn is
     * written.
     */
    boolean stallsBy(Throwable thrown) {
        return !hasEnded() && !isItsCancellation(thrown) && stalls.insteadOfFailing(dispatcher.running(), thrown);
    }

    /** Returns whether the run stalls by the exception of an update's handler, instead of giving it to the caller. */
    boolean stallsBy(Coroutine handler, Throwable thrown) {
        return !(thrown instanceof CancelledException) && stalls.insteadOfFailing(handler, thrown);
    }

    private boolean isItsCancellation(Throwable thrown) {
        return thrown instanceof CancelledException && cancelled != null;
    }

    void runThrew(Throwable thrown) {
        if (hasEnded()) {
            logLate("run", thrown);
        } else if (isItsCancellation(thrown)) {
            fix(Objects.requireNonNull(cancelled), null);
        } else if (!stalls.insteadOfFailing(dispatcher.running(), thrown)) {
            fix(new Result.Threw(encode.apply(thrown), retries.after(thrown)), null);
        }
    }

    /**
     * Fails the run with the exception of a signal's handler, as a signal has no caller that could get it; the
     * handler's own cancellation is no failure. Where messages are fed together, all of them are handled first.
     */
    void handlerThrew(Coroutine handler, SignalReceived signal, Throwable thrown) {
        if (dispatcher.isHandlingTogether()) {
            dispatcher.beforeOthers(() -> failedBy(handler, signal, thrown));
        } else {
            failedBy(handler, signal, thrown);
        }
    }

    private void failedBy(Coroutine handler, SignalReceived signal, Throwable thrown) {
        if (handler.isCancelled() && thrown instanceof CancelledException) {
            return;
        }
        if (hasEnded() || thrownByRun != null || (continues && handler.isCancelled())) {
            logLate(handler.name, thrown);
        } else if (!stalls.insteadOfFailing(handler, thrown)) {
            unused.hasFailed(signal);
            failingTurn.fails(thrown);
            fix(new Result.Threw(encode.apply(thrown).thrownBy(handler.name), retries.after(thrown)), handler);
        }
    }

    void compensate(VoidBody undo) {
        if (phase == Phase.UNDOING || phase == Phase.CLOSABLE) {
            throw new UsageException("Durable.compensate was called while the run is being undone, or after."
                    + " Do in the undo what is to be done.");
        }
        undos.push(undo);
    }

    /** Returns the failed promises that no code has read. */
    Set<DurablePromise<?>> unobserved() {
        return unobserved;
    }

    /** Returns whether undos are registered. */
    boolean hasUndos() {
        return !undos.isEmpty();
    }

    /** Notes whether the run is about to continue as new: the handlers that this cancels don't fail it any more. */
    void continues(boolean soon) {
        continues = soon;
    }

    /** Notes whether the code has called continueAsNew, and waits for handlers first. */
    void leaves(boolean soon) {
        leaves = soon;
    }

    /** Returns whether the run is about to end: {@code run} is over or continues as new, or the run is cancelled. */
    public boolean isLeaving() {
        return leaves || cancelled != null || isDeaf();
    }

    /** Ends the run in this turn, as nothing of it is under way but the call. */
    void continueAsNew(Continuation next) {
        phase = Phase.CLOSABLE;
        result = new Result.Continued(next);
        unobserved.removeIf(promise -> promise.source() instanceof OpenChild); // the next run gets it
        tellUnobserved();
    }

    /** Gives the run that follows an id that is not that of the run which follows the original of this fork. */
    void forked(WorkflowStarted fork) {
        UUID next = ContinueCalls.nextRunId(fork, fork.at());
        result = switch (result) {
            case null -> null;
            case Result.Continued continued ->
                new Result.Continued(continued.next().withRunId(next));
            case Result.Threw threw ->
                threw.next() == null
                        ? threw
                        : new Result.Threw(threw.failure(), threw.next().withRunId(next));
            case Result.Returned returned -> returned;
            case Result.Cancelled byRequest -> byRequest;
        };
    }

    /** Returns whether the run is over because another run continues it: messages that wait are for that one. */
    public boolean isContinued() {
        return result instanceof Result.Continued;
    }

    /** Returns whether the run is over because a run of the type that has this name, or had it, continues it. */
    public boolean continuesAs(String type) {
        return result instanceof Result.Continued continued
                && continued.next().typeNames().contains(type);
    }

    /**
     * Returns the attempt that follows the run, from the turn on in which the run has failed; null where none does: also
     * where the run was asked to cancel, a compensation has failed, or the execution deadline has come too near.
     */
    public @Nullable NextAttempt nextAttempt() {
        NextAttempt next = result instanceof Result.Threw threw ? threw.next() : null;
        return next != null && cancelled == null && failedUndos.isEmpty() && retries.isInTime(next) ? next : null;
    }

    /** Returns whether the run can close, and another attempt follows. */
    public boolean isRetried() {
        return phase == Phase.CLOSABLE && nextAttempt() != null;
    }

    private void fix(Result fixed, @Nullable Coroutine by) {
        if (hasEnded()) {
            return;
        }
        phase = Phase.CLEANING_UP;
        result = fixed;
        handlers.abandon(by);
        coroutines.cancelAll(RUN_ENDED);
        tellUnobserved();
    }

    private void tellUnobserved() {
        unobserved.forEach(this::logUnobserved);
        unobserved.clear();
    }

    private void logUnobserved(DurablePromise<?> promise) {
        Throwable failure = promise.unreadFailure();
        turnLog.add(() -> log.warn(
                "{} failed and the workflow never asked for it: its failure is lost with the end of the run",
                promise,
                failure == null ? null : loggable(failure)));
    }

    private void logLate(String who, Throwable thrown) {
        if (!(thrown instanceof CancelledException)) {
            turnLog.add(() -> log.warn(
                    "{} threw after the run had ended; the run's result stays as it is", who, loggable(thrown)));
        }
    }

    private Throwable loggable(Throwable thrown) {
        return FailureCodec.loggable(encode.apply(thrown));
    }

    // ── signals for the next attempt ─────────────────────────────────────────────────────────────────────────────────

    /**
     * Notes an event before it is applied.
     *
     * @param first whether it belongs to the first turn, in which {@code run} has not come to a wait before
     */
    void hears(HistoryEvent.Inbound event, boolean first) {
        failingTurn.begins(event);
        if (!first && !isDeaf()) {
            unused.firstTurnIsOver();
        }
        if (event instanceof SignalReceived signal && retries.areDeclared()) {
            if (isDeaf()) {
                unused.addLate(signal);
            } else if (first) {
                unused.addOfFirstTurn(signal);
            }
        }
    }

    /** Notes that code which ends the run has got what it waited for, which a handler of signals may have caused. */
    void usesSignals() {
        unused.areUsed();
    }

    /** Returns the signals for the attempt that follows, which the code of this one could not use. */
    public List<SignalReceived> signalsForNextAttempt() {
        return nextAttempt() == null ? List.of() : unused.all();
    }

    // ── progress of the end ──────────────────────────────────────────────────────────────────────────────────────────

    /** Takes the next step of the end, when no coroutine is ready; returns true where that has made one ready. */
    private boolean goOn() {
        if (phase == Phase.OPEN || phase == Phase.CLOSABLE || !dispatcher.allEnded() || work.hasAwaitedActivity()) {
            return false;
        }
        if (isToBeUndone()) {
            return !work.hasActivities() && startUndo();
        }
        phase = Phase.CLOSABLE;
        return false;
    }

    private boolean isToBeUndone() {
        return phase == Phase.CLEANING_UP
                && !(result instanceof Result.Returned)
                && (!undos.isEmpty()
                        || nextAttempt() != null
                                && (work.children().notAbandoned() > 0 || work.hasStoppingActivities()));
    }

    private boolean startUndo() {
        phase = Phase.UNDOING;
        Coroutine undo = coroutines.root("undo", this::undoAll);
        undo.shield();
        dispatcher.ready(undo);
        return true;
    }

    /**
     * Ends the open children by their parent-close policies and runs all compensations; one that fails does not keep the
     * others from running.
     */
    private @Nullable Void undoAll() {
        for (DurablePromise<?> end : work.children().endForUndo()) {
            end.get();
        }
        while (!undos.isEmpty()) {
            try {
                undos.pop().run();
            } catch (Exception e) {
                if (stalls.insteadOfFailing(dispatcher.running(), e)) {
                    return null;
                }
                Failure failure = encode.apply(e);
                failedUndos.add(failure);
                turnLog.add(
                        () -> log.warn("a compensation failed; the others still run", FailureCodec.loggable(failure)));
            }
        }
        return null;
    }

    // ── the closing command ──────────────────────────────────────────────────────────────────────────────────────────

    public boolean hasEnded() {
        return phase != Phase.OPEN;
    }

    /** Returns the outcomes for which the undo, or the close, waits while no code does. */
    public Stream<PendingWait> waits(Instant since) {
        if (phase == Phase.OPEN || phase == Phase.CLOSABLE || !dispatcher.allEnded()) {
            return Stream.of();
        }
        boolean undo = isToBeUndone();
        Stream<String> activities = work.activities().stream()
                .filter(activity -> undo || activity.isAwaited())
                .map(OpenActivity::outcome);
        Stream<String> children = work.children().awaited().stream().map(OpenChild::waitedFor);
        return Stream.concat(activities, children)
                .map(what -> new PendingWait(undo ? "undo" : "close", what, since, null));
    }

    public HistoryEvent.@Nullable Closing close(long id, Instant at) {
        if (phase != Phase.CLOSABLE || result == null) {
            return null;
        }
        stalls.check();
        int late = handlers.lateMessages();
        int abandoned = handlers.abandonedHandlers();
        return switch (result) {
            case Result.Returned returned -> new WorkflowCompleted(id, at, returned.value(), late, abandoned);
            case Result.Threw threw -> failed(id, at, threw.failure());
            case Result.Cancelled cancelled ->
                new WorkflowCancelled(id, at, cancelled.reason(), cancelled.by(), late, abandoned);
            case Result.Continued continued -> continued.next().closing(id, at);
        };
    }

    private WorkflowFailed failed(long id, Instant at, Failure failure) {
        NextAttempt next = nextAttempt();
        return new WorkflowFailed(
                id,
                at,
                withFailedUndos(failure),
                handlers.lateMessages(),
                handlers.abandonedHandlers(),
                next == null ? null : next.runId(),
                next == null ? null : next.delay(),
                failingTurn.eventId());
    }

    private Failure withFailedUndos(Failure failure) {
        List<Failure> suppressed = Stream.concat(failure.suppressed().stream(), failedUndos.stream())
                .toList();
        return failure.withSuppressed(suppressed);
    }
}
