package dev.durable.internal.replay;

import static dev.durable.internal.text.Portion.heapBytes;

import dev.durable.QueryFailedException;
import dev.durable.UpdateRejectedException;
import dev.durable.WorkflowInfo;
import dev.durable.history.ActivityCancelled;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.CallbackCompleted;
import dev.durable.history.ChainLink;
import dev.durable.history.ChildCompleted;
import dev.durable.history.Failure;
import dev.durable.history.FirstTurnStarted;
import dev.durable.history.HistoryEvent;
import dev.durable.history.Payload;
import dev.durable.history.SideEffectRecorded;
import dev.durable.history.SignalReceived;
import dev.durable.history.TimerFired;
import dev.durable.history.UpdateAccepted;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.history.WorkflowStarted;
import dev.durable.intercept.ContextPropagator;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.replay.call.ChildAddress;
import dev.durable.internal.replay.call.DurableCalls;
import dev.durable.internal.replay.call.LocalWork;
import dev.durable.internal.replay.call.NextAttempt;
import dev.durable.internal.replay.call.TimerDue;
import dev.durable.internal.replay.coroutine.CheckedTask;
import dev.durable.internal.replay.coroutine.Coroutine;
import dev.durable.internal.replay.coroutine.CoroutineWait;
import dev.durable.internal.replay.coroutine.Dispatcher;
import dev.durable.internal.replay.coroutine.Restriction;
import dev.durable.internal.replay.match.Comparison;
import dev.durable.internal.replay.match.Divergence;
import dev.durable.internal.replay.match.HungAsideException;
import dev.durable.internal.replay.match.LiveScript;
import dev.durable.internal.replay.match.PendingWait;
import dev.durable.internal.replay.match.RecordedTurn;
import dev.durable.internal.replay.match.ReplaySetup;
import dev.durable.internal.replay.match.StalledException;
import dev.durable.internal.replay.match.Turn;
import dev.durable.internal.replay.match.UserLines;
import dev.durable.internal.text.Thrown;
import dev.durable.store.RunKey;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs the code of one run: it is fed one event at a time and returns the commands that the code gives. Used by one
 * thread at a time, not always the same; platform or virtual. {@link #feed} and {@link #replay} throw {@link
 * Divergence} or {@link StalledException} when the run can't go on; the instance is unusable after that and has been
 * evicted.
 */
public final class WorkflowInstance {
    /**
     * The exception of an evicted instance, one object for all: runs are evicted by the thousand, and its stack would
     * say nothing.
     */
    @SuppressWarnings("StaticAssignmentOfThrowable")
    private static final StalledException EVICTED = new StalledException("it was evicted", null);

    /** The number of events from which the code should continue as new. */
    public static final long MANY_EVENTS = DurableCalls.MANY_EVENTS;
    /** The bytes of payloads from which it should, where each character counts as one. */
    public static final long MANY_BYTES = DurableCalls.MANY_CHARACTERS;

    private static final int BASE_BYTES = 4_096;
    private static final int COROUTINE_BYTES = 3_072;
    /** The number of the last events whose payloads are assumed to be alive in the user's objects. */
    private static final int REMEMBERED = 64;
    /** The factor for the text and the object decoded from it, which is assumed to be as large. */
    private static final long PER_VALUE = 2;

    private final WorkflowType type;
    private final ReplaySetup setup;
    private final DurableCalls run;
    private final Comparison comparison;
    private long bytesFed;
    /** The bytes of its arguments and headers, which it keeps to its end. */
    private long bytesOfStart;

    /** Creates the instance; its code begins when its {@code WorkflowStarted} is fed. */
    public WorkflowInstance(WorkflowType type, RunKey run, ReplaySetup setup) {
        this(type, run, setup, Dispatcher::of);
    }

    public WorkflowInstance(WorkflowType type, RunKey run, ReplaySetup setup, Dispatcher.Factory dispatchers) {
        this.type = type;
        this.setup = setup;
        this.run = new DurableCalls(type, run, setup, dispatchers);
        this.comparison = new Comparison(
                type.name() + " " + run.shown(),
                new UserLines(type.implementation()),
                setup.strict(),
                setup.sameCode(),
                this::waits);
    }

    /** Returns whether it has a parent, or has started children. */
    public boolean isRelated() {
        return run.started().parent() != null || run.hasStartedChildren();
    }

    /** Returns the address of an open child. */
    public ChildAddress child(long number) {
        return run.children().address(number);
    }

    /** Returns the bytes of the payloads in the history up to now, where each character counts as one. */
    public long bytesOfHistory() {
        return run.charactersOfHistory();
    }

    /** Returns the line by which the code says what it is doing; empty if it took it away, null if it never set one. */
    public @Nullable String details() {
        return run.details();
    }

    // ── turns ───────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Feeds a new event, with its id and time, and returns the turn with the commands that follow. */
    public Turn feed(HistoryEvent.Inbound event) {
        return feed(event, event.at(), false);
    }

    /** Feeds the event of a first turn that is made later than the run was started, or that waits for messages. */
    public Turn feedFirst(WorkflowStarted event, FirstTurnStarted first) {
        return feed(event, first.at(), first.withNext());
    }

    Turn feed(HistoryEvent.Inbound event, Instant at, boolean withNext) {
        if (!accepts(event)) {
            throw new IllegalArgumentException(event + " is an event of nothing open; it must be dropped, not fed");
        }
        LiveScript script = new LiveScript(event, at, withNext);
        usable();
        run.dispatcher().threads().refuseWhileItComputes();
        run.dispatcher().drive(new Once(() -> run.begin(script)), setup.turnLimit());
        note(event, script.given());
        return new Turn(event, script.given(), run.turnLog().drain());
    }

    /**
     * Feeds an event of the history and checks that the code gives the commands that the history has.
     *
     * @throws Divergence where it gives others, fewer or more
     */
    public void replay(HistoryEvent.Inbound event, List<HistoryEvent.Command> recorded) {
        replay(List.of(new RecordedTurn(event, recorded)));
    }

    /**
     * Feeds many turns of the history and checks their commands, which costs much less than one by one.
     *
     * @throws Divergence at the first turn where the code gives other commands, fewer or more
     */
    public void replay(List<RecordedTurn> turns) {
        usable();
        turns.forEach(turn -> note(turn.event(), turn.commands()));
        try {
            run.dispatcher().drive(new Playback(run, comparison, turns), setup.turnLimit());
        } catch (Divergence e) {
            StalledException thrownBefore = run.stalls().unconfirmed();
            throw thrownBefore == null ? e : e.after(thrownBefore);
        }
    }

    /**
     * Checks that the code ends as the history does. A close that does not come from the code (terminated, timed out)
     * always matches.
     *
     * @throws Divergence where it does not
     */
    public void replayClose(HistoryEvent.Closing recorded) {
        usable();
        run.stalls().historyHasEnded();
        Divergence other =
                comparison.otherClose(run.started(), close(recorded.id()), recorded, run.ending()::continuesAs);
        if (other != null) {
            throw diverged(other);
        }
    }

    /** Estimates how much the run may keep of an event and of the commands behind it. */
    private void note(HistoryEvent.Inbound event, List<HistoryEvent.Command> commands) {
        if (event instanceof WorkflowStarted started) {
            bytesOfStart = PER_VALUE * heapBytes(started.input().json());
            started.headers().forEach((name, value) -> bytesOfStart += heapBytes(name) + heapBytes(value));
        }
        bytesFed += PER_VALUE * bytes(event) - bytesFed / REMEMBERED;
        for (HistoryEvent.Command command : commands) {
            if (command instanceof SideEffectRecorded recorded) {
                bytesFed += PER_VALUE * heapBytes(recorded.value().json());
            }
        }
    }

    /** Begins a single turn. */
    private static final class Once implements BooleanSupplier {
        private final Runnable begin;
        private boolean begun;

        Once(Runnable begin) {
            this.begin = begin;
        }

        @Override
        public boolean getAsBoolean() {
            boolean first = !begun;
            begun = true;
            if (first) {
                begin.run();
            }
            return first;
        }
    }

    private Divergence diverged(Divergence divergence) {
        usable();
        run.dispatcher().die(divergence);
        run.dispatcher().unwind(setup.turnLimit());
        return divergence;
    }

    /** Returns whether the instance can go on: code that was given up, or that diverges, makes an end of it. */
    public boolean isUsable() {
        return run.dispatcher().death() == null;
    }

    private void usable() {
        RuntimeException death = run.dispatcher().death();
        if (death != null) {
            throw new IllegalStateException(
                    "this instance can't be used any more: " + Thrown.of(death).words(), death);
        }
    }

    // ── acceptable events and due timers ─────────────────────────────────────────────────────────────────────────────

    /**
     * Returns whether the event may be fed; false for outcomes and timers of operations that are not open: these are
     * dropped, never recorded.
     */
    public boolean accepts(HistoryEvent.Inbound event) {
        return run.feed().accepts(event);
    }

    /**
     * Returns the close that is pending, with this id and the time of the last turn, or of the fork behind it; null while
     * the run is open.
     */
    public HistoryEvent.@Nullable Closing close(long eventId) {
        usable();
        if (!run.ending().hasEnded()) {
            return null;
        }
        Instant begun = run.started().at();
        return run.ending().close(eventId, begun.isAfter(run.now()) ? begun : run.now());
    }

    /**
     * Returns whether {@code run} has ended, or a handler has ended it, so that it sees no later message; handlers that
     * it waits for, its clean-up and its compensations may still run.
     */
    public boolean hasEnded() {
        return run.ending().isDeaf() && !leavesToNext();
    }

    /**
     * Returns whether the result is fixed. Where {@code run} waits behind its last line for handlers, that is when the
     * last of them has returned; handlers of later messages can neither wait nor call.
     */
    public boolean hasResult() {
        return run.ending().hasEnded() && !leavesToNext();
    }

    /** Returns whether the run is about to end, and takes no further step but those that this needs. */
    public boolean isLeaving() {
        return run.ending().isLeaving();
    }

    /** Returns whether another run continues this one: it can close, and messages that wait are not for it. */
    public boolean isContinued() {
        return run.ending().isContinued();
    }

    /** Returns whether the run has failed, is cleaned up and undone, and another attempt follows: it can close. */
    public boolean isRetried() {
        return run.ending().isRetried();
    }

    /** Returns whether the run can close and another one goes on, for which messages that wait are. */
    public boolean leavesToNext() {
        return isContinued() || isRetried();
    }

    /** Returns the attempt that follows the run, from its failure on; null where none does. */
    public @Nullable NextAttempt nextAttempt() {
        return run.ending().nextAttempt();
    }

    /** Returns the signals that the next attempt is to be given, as the code of this one could not use them. */
    public List<SignalReceived> signalsForNextAttempt() {
        return run.ending().signalsForNextAttempt();
    }

    /** Returns whether {@code run} is over, because it has ended or another run continues it or follows it. */
    public boolean isOver() {
        return hasEnded() || leavesToNext();
    }

    /** Returns the first event, once it was fed. */
    public WorkflowStarted started() {
        return run.started();
    }

    /** Returns the link to the run that continues this one or follows it. */
    public ChainLink nextLink() {
        return run.nextLink();
    }

    /** Returns when the earliest open timer is due; null without one. */
    public @Nullable Instant nextTimer() {
        return run.work().nextTimer();
    }

    /** Returns the open timer that is due first; null without one. */
    public @Nullable TimerDue firstTimer() {
        return run.work().firstTimer();
    }

    /** Returns whether the open callback may be given more time once more. */
    public boolean mayBeExtended(UUID callback) {
        return run.work().callbacks().mayBeExtended(callback);
    }

    /** Returns the id of the callback that times out with this timer; null where the timer is another one. */
    public @Nullable UUID callbackTimedBy(int timer) {
        return run.work().callbacks().timedBy(timer);
    }

    /**
     * Has the run read the value with which a callback is completed, as a query runs.
     *
     * @return the event to feed, which says whether the value could be read
     * @throws HungAsideException when the reading was seen at work when its time was over; the instance is lost
     */
    public HistoryEvent.CallbackEnded judge(CallbackCompleted sent) {
        usable();
        try {
            return aside(() -> run.work().callbacks().judge(sent));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("the judgement of a callback's value throws nothing checked", e);
        }
    }

    /** Returns the open timers that are due, in the order in which they must be fed. */
    public List<TimerDue> dueTimers(Instant now) {
        return run.work().due(now);
    }

    // ── queries and state ────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * Calls a query method of the workflow object.
     *
     * @param arguments the arguments as a JSON array
     * @return the result of the query method
     * @throws QueryFailedException when it threw, does not exist, or broke a query's rules
     */
    public Payload query(String name, Payload arguments) {
        usable();
        MethodSpec query = type.query(name);
        Object workflow = run.feed().workflow();
        if (query == null) {
            throw new QueryFailedException(type.name() + " has no query '" + name + "'; it has "
                    + type.methods().queries().keySet());
        }
        if (workflow == null) {
            throw new QueryFailedException(
                    "query '" + name + "': the run's object does not exist, for its constructor threw");
        }
        try {
            return aside(() -> answer(query, workflow, name, arguments));
        } catch (Throwable e) {
            throw new QueryFailedException("query '" + name + "' of " + type.name() + fate(e), e);
        }
    }

    private String fate(Throwable e) {
        if (!isUsable()) {
            return " was given up: " + Thrown.of(e).words();
        }
        return e instanceof StalledException
                ? " was not asked: " + Thrown.of(e).words()
                : " threw " + Thrown.of(e).text();
    }

    /**
     * Runs code that only looks at the state of the run.
     *
     * @throws StalledException when it does not return in time, and the instance is not usable any more; or when there
     *     is no thread for it
     */
    private <T extends @Nullable Object> T aside(CheckedTask<T> body) throws Throwable {
        return run.dispatcher()
                .aside(
                        () -> {
                            DurableCalls.bind(run);
                            try (ContextPropagator.Scope context =
                                    setup.context().restore(run.started().headers())) {
                                return body.run();
                            } finally {
                                DurableCalls.bind(null);
                            }
                        },
                        setup.turnLimit());
    }

    private Payload answer(MethodSpec query, Object workflow, String name, Payload arguments) throws Throwable {
        @Nullable
        Object[] decoded = query.isOfAnyName()
                ? setup.codec().argumentsOfAnyName(query, name, arguments)
                : setup.codec().decodeArguments(query, arguments);
        @Nullable Object answer = run.restrictions().call(Restriction.QUERY, () -> query.invoke(workflow, decoded));
        String what = "the result of " + query.name();
        return query.isOfAnyName() && query.returnType() == Object.class
                ? setup.codec().encodeUndeclared(answer, what)
                : setup.codec().encode(answer, query.returnType(), what);
    }

    /**
     * Has an update judged that was sent: by the types of its arguments and by its validator, as a query runs. Where that
     * does not return in time, the update is rejected, and the instance is not {@linkplain #isUsable usable} any more.
     *
     * @return the failure with which it is rejected; null where it is to be accepted
     * @throws StalledException when it has not returned in time and was not seen at work, or there was no thread for it:
     *     that says nothing about the update
     */
    public @Nullable Failure rejection(UpdateAccepted sent) {
        usable();
        String name = sent.name();
        MethodSpec update = type.update(name);
        Object workflow = run.feed().workflow();
        if (update == null || workflow == null) {
            return Failure.of(
                    UpdateRejectedException.class.getName(),
                    update == null
                            ? type.name() + " has no update '" + name + "'; it has "
                                    + type.methods().updates().keySet().stream()
                                            .sorted()
                                            .toList()
                            : "the run's object does not exist, for its constructor threw");
        }
        try {
            return this.<@Nullable Failure>aside(() -> rejection(update, workflow, sent));
        } catch (HungAsideException e) {
            return Failure.of(
                    UpdateRejectedException.class.getName(),
                    "its judgement was given up: " + Thrown.of(e).words());
        } catch (StalledException e) {
            throw e;
        } catch (Throwable e) {
            return setup.failures().encode(e, update.named());
        }
    }

    private @Nullable Failure rejection(MethodSpec update, Object workflow, UpdateAccepted sent) {
        try {
            if (update.isOfAnyName()) {
                // No validator judges for it, and it reads its arguments itself.
                setup.codec().argumentsOfAnyName(update, sent.name(), sent.input());
                return null;
            }
            @Nullable Object[] decoded = setup.codec().decodeArguments(update, sent.input());
            MethodSpec validator = type.methods().validators().get(sent.name());
            if (validator != null) {
                run.validate(
                        new WorkflowInfo.HandledUpdate(sent.updateId(), sent.name()),
                        () -> validator.invoke(workflow, decoded));
            }
            return null;
        } catch (Throwable e) {
            // An Error, too: a caller's arguments must not be able to stall the run.
            return setup.failures().encode(e, update.named());
        }
    }

    /** Returns the wait of each coroutine, in the order of their creation. */
    public List<PendingWait> waits() {
        usable();
        Stream<PendingWait> coroutines = run.dispatcher().alive().stream().flatMap(this::wait);
        return Stream.concat(coroutines, run.ending().waits(run.now())).toList();
    }

    private Stream<PendingWait> wait(Coroutine coroutine) {
        CoroutineWait waiter = coroutine.waiter();
        if (waiter == null) {
            return Stream.of();
        }
        String what =
                (run.ending().hasEnded() ? "the run has ended and waits for its clean-up: " : "") + waiter.what.text();
        String line = run.dispatcher().threads().lineOf(coroutine.thread());
        return Stream.of(new PendingWait(coroutine.name, what, waiter.since, line));
    }

    /**
     * Returns the number of inputs, durations and options that differed from the recorded ones so far; always 0 where
     * setup is strict.
     */
    public int differences() {
        return comparison.otherTexts();
    }

    /**
     * Returns the local activities that were called, or cancelled, since the last call of this method, for the worker
     * to begin and stop.
     */
    public List<LocalWork> localNews() {
        return run.work().localNews();
    }

    /** Returns the result that {@link #localNews} will have, and keeps it. */
    public List<LocalWork> unheardLocals() {
        return run.work().unheard();
    }

    /** Returns roughly how many bytes it holds; of the user's own state only the fed payloads are known. */
    public int weight() {
        long known = BASE_BYTES
                + (long) COROUTINE_BYTES * run.dispatcher().alive().size()
                + run.work().weight()
                + bytesOfStart
                + bytesFed;
        return (int) Math.min(known, Integer.MAX_VALUE);
    }

    private static long bytes(HistoryEvent.Inbound event) {
        return switch (event) {
            case ActivityCompleted e -> heapBytes(e.result().json());
            case SignalReceived e -> heapBytes(e.input().json());
            case UpdateAccepted e -> heapBytes(e.input().json());
            // The start's is counted apart; what the others bring is small, or not kept.
            case WorkflowStarted ignored -> 0;
            case WorkflowCancelRequested ignored -> 0;
            case ActivityFailed ignored -> 0;
            case ActivityTimedOut ignored -> 0;
            case ActivityCancelled ignored -> 0;
            case TimerFired ignored -> 0;
            case ChildCompleted e -> heapBytes(e.result().json());
            case HistoryEvent.OfChild ignored -> 0;
            case CallbackCompleted e -> heapBytes(e.result().json());
            case HistoryEvent.OfCallback ignored -> 0;
        };
    }

    // ── the end of it ───────────────────────────────────────────────────────────────────────────────────────────────

    /** Ends all coroutines without an effect outside of them. Idempotent. */
    public void evict() {
        if (run.dispatcher().death() == null) {
            run.dispatcher().die(EVICTED);
            run.dispatcher().unwind(setup.turnLimit());
        }
    }
}
