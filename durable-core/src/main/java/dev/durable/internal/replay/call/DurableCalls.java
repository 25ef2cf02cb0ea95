package dev.durable.internal.replay.call;

import dev.durable.ActivityOptions;
import dev.durable.ActivityOptionsBuilder;
import dev.durable.Body;
import dev.durable.Callback;
import dev.durable.CancelledException;
import dev.durable.ChildHandle;
import dev.durable.ChildOptions;
import dev.durable.CompletablePromise;
import dev.durable.ExternalWorkflow;
import dev.durable.Promise;
import dev.durable.RegistrationException;
import dev.durable.ShieldedBody;
import dev.durable.UsageException;
import dev.durable.VoidBody;
import dev.durable.WorkflowInfo;
import dev.durable.WorkflowStream;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.ChainLink;
import dev.durable.history.ParentRun;
import dev.durable.history.Payload;
import dev.durable.history.RunAttempt;
import dev.durable.history.SideEffectRecorded;
import dev.durable.history.WorkflowForked;
import dev.durable.history.WorkflowStarted;
import dev.durable.intercept.ContextPropagator;
import dev.durable.internal.declare.OptionsAtCallSite;
import dev.durable.internal.declare.Recorded;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.payload.Unchecked;
import dev.durable.internal.replay.coroutine.CheckedTask;
import dev.durable.internal.replay.coroutine.Coroutine;
import dev.durable.internal.replay.coroutine.Coroutines;
import dev.durable.internal.replay.coroutine.Dispatcher;
import dev.durable.internal.replay.coroutine.DurablePromise;
import dev.durable.internal.replay.coroutine.Eviction;
import dev.durable.internal.replay.coroutine.HistoryDecoder;
import dev.durable.internal.replay.coroutine.ManualPromise;
import dev.durable.internal.replay.coroutine.OpenOperation;
import dev.durable.internal.replay.coroutine.PromiseHost;
import dev.durable.internal.replay.coroutine.PromiseOutcome;
import dev.durable.internal.replay.coroutine.Restriction;
import dev.durable.internal.replay.coroutine.Restrictions;
import dev.durable.internal.replay.coroutine.RunThreads;
import dev.durable.internal.replay.coroutine.WaitCondition;
import dev.durable.internal.replay.match.ReplaySetup;
import dev.durable.internal.replay.match.TurnScript;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
import dev.durable.store.RunKey;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The implementation behind the static methods of {@code Durable} and behind promises, for the run whose coroutine
 * calls. Puts the parts of the run together; each call is checked (alive, not restricted, not cancelled) and handed on.
 */
public final class DurableCalls implements PromiseHost {
    /** The number of events from which a run should continue as new. */
    public static final long MANY_EVENTS = CurrentTurn.MANY_EVENTS;
    /** The number of characters of payloads from which a run should continue as new. */
    public static final long MANY_CHARACTERS = CurrentTurn.MANY_CHARACTERS;

    private static final ThreadLocal<@Nullable DurableCalls> CURRENT = new ThreadLocal<>();

    private final WorkflowType type;
    private final ReplaySetup setup;
    private final Restrictions restrictions = new Restrictions();
    private final Dispatcher dispatcher;
    private final CurrentTurn journal;
    private final TurnLog turnLog;
    private final OpenWork work;
    private final WaitCalls waiting;
    private final ActivityCalls activities;
    private final ExternalCalls externals;
    private final ChildCalls children;
    private final CallbackCalls callbacks;
    private final StreamCalls streams;
    private final SentMessages sent = new SentMessages();
    private final Coroutines coroutines;
    private final ContinueCalls continuing;
    private final Versions versions;
    private final HistoryDecoder decoder;
    private final HandlersUnderWay handlers;
    private final StallRules stalls;
    private final RunEnding ending;
    private final EventApplier feed;
    private RunRandom draws;
    private final RandomGenerator random = this::drawBits;
    private long settled;
    private WorkflowInfo.@Nullable HandledUpdate judged;
    private @Nullable String details;

    public DurableCalls(WorkflowType type, RunKey run, ReplaySetup setup, Dispatcher.Factory dispatchers) {
        this.type = type;
        this.setup = setup;
        RunThreads threads = new RunThreads(
                run.runId(), type.name() + " " + run.shown(), type.implementation(), setup.strict(), setup.asides());
        dispatcher = dispatchers.create(threads, restrictions);
        journal = new CurrentTurn(dispatcher);
        turnLog = new TurnLog(run, journal, setup.failures()::loggable);
        work = new OpenWork(journal, this);
        waiting = new WaitCalls(dispatcher, restrictions, journal, work, turnLog);
        activities = new ActivityCalls(this, waiting, restrictions, work, setup);
        externals = new ExternalCalls(this, waiting, journal, sent, setup);
        coroutines = new Coroutines(this, dispatcher, () -> bind(this), this::context);
        continuing = new ContinueCalls(this, waiting, coroutines, dispatcher, setup);
        versions = new Versions(journal, dispatcher);
        decoder = new HistoryDecoder(setup.codec(), dispatcher);
        ChildOutcomes ends = new ChildOutcomes(
                decoder, setup.failures(), type.implementation().getClassLoader());
        work.children(new OpenChildren(this, journal, sent, ends, setup.failures()::recordable));
        children = new ChildCalls(this, waiting, journal, sent, setup);
        work.callbacks(new OpenCallbacks(
                work, decoder, setup.failures(), type.implementation().getClassLoader()));
        callbacks = new CallbackCalls(run, waiting, journal, work.callbacks(), setup.ids());
        streams = new StreamCalls(this, waiting, journal, setup.codec());
        handlers = new HandlersUnderWay(turnLog);
        stalls = new StallRules(dispatcher, journal, type, setup.stallOn());
        ending = new RunEnding(
                dispatcher,
                coroutines,
                work,
                handlers,
                turnLog,
                stalls,
                thrown -> setup.failures().encode(thrown, type.methods().run().named()),
                new RunRetries(this));
        feed = new EventApplier(this, type, decoder, setup);
        draws = new RunRandom(run.runId());
    }

    // ── the run of the calling thread ────────────────────────────────────────────────────────────────────────────────

    /** Returns the run of this coroutine; throws where the thread is none of a run's. */
    public static DurableCalls current(String call) {
        DurableCalls run = CURRENT.get();
        if (run == null) {
            throw new UsageException(call + " was called outside a workflow, on thread '"
                    + Thread.currentThread().getName() + "'."
                    + " It works on the run's own coroutines only: in a workflow, start them by Durable.async, never"
                    + " by threads, executors or parallel streams; in a test, use TestEngine.");
        }
        run.dispatcher.checkAlive();
        return run;
    }

    /**
     * Returns the workflow type whose code makes a call that is not one of {@code Durable}; empty where the thread is
     * none of a run's.
     */
    public static Optional<String> typeOfCaller(String call) {
        return CURRENT.get() == null
                ? Optional.empty()
                : Optional.of(current(call).type.name());
    }

    /** Binds the run's context to this thread, on which its code is about to run. */
    private ContextPropagator.Scope context() {
        try {
            return setup.context().restore(feed.started().headers());
        } catch (RuntimeException | Error e) {
            dispatcher.die(dispatcher.threads().contextNotRestored(e));
            throw Eviction.INSTANCE;
        }
    }

    static @Nullable DurableCalls currentOrNull() {
        return CURRENT.get();
    }

    public static void bind(@Nullable DurableCalls run) {
        if (run == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(run);
        }
    }

    /** Checks a call that only reads state, which conditions and queries may make. */
    @Override
    public void look(String call) {
        if (current(call) != this) {
            throw new UsageException(call + " was called on a promise of another run. Keep promises in fields of the"
                    + " workflow object or in local variables, never in static fields.");
        }
    }

    @Override
    public void change(String call) {
        look(call);
        restrictions.check(call);
    }

    /** Returns the options of the call that the history has next; null where it has none. */
    @Nullable
    ActivityOptions expectedOptions() {
        return journal.expected() instanceof ActivityScheduled next ? next.options() : null;
    }

    // ── time and randomness ─────────────────────────────────────────────────────────────────────────────────────────

    public Instant now() {
        return journal.now();
    }

    public WorkflowInfo info() {
        WorkflowStarted started = feed.started();
        ParentRun above = started.parent();
        RunAttempt tried = started.attempt();
        return new WorkflowInfo(
                started.workflowId(),
                started.runId(),
                type.name(),
                started.taskQueue(),
                started.at(),
                journal.length(),
                started.headers(),
                started.chainId(),
                Optional.ofNullable(started.chain()).map(ChainLink::previousRunId),
                journal.continueAsNewSuggested(),
                above == null ? null : new WorkflowInfo.Relative(above.workflowId(), above.chain()),
                above == null
                        ? new WorkflowInfo.Relative(started.workflowId(), started.chainId())
                        : new WorkflowInfo.Relative(above.rootWorkflowId(), above.rootChain()),
                tried == null ? 1 : tried.number(),
                Optional.ofNullable(tried).map(RunAttempt::lastFailure),
                update());
    }

    /** Returns the update that is judged or handled by the caller; a query and a condition are no part of either. */
    private Optional<WorkflowInfo.HandledUpdate> update() {
        boolean looksOnly = restrictions.isInForce(Restriction.QUERY) || restrictions.isInForce(Restriction.CONDITION);
        return judged != null || looksOnly ? Optional.ofNullable(judged) : handlers.updateOf(dispatcher.running());
    }

    /** Calls the validator of an update, which {@link #info} names meanwhile. */
    public void validate(WorkflowInfo.HandledUpdate update, CheckedTask<?> validator) throws Throwable {
        judged = update;
        try {
            restrictions.call(Restriction.VALIDATOR, validator);
        } finally {
            judged = null;
        }
    }

    /** Returns a generator that draws for the coroutine that calls it, whichever coroutine has asked for it. */
    public RandomGenerator random() {
        return random;
    }

    public UUID uuid() {
        restrictions.check("Durable.uuid");
        Coroutine self = dispatcher.running();
        return draws.uuid(self.number, self.nextDraw());
    }

    private long drawBits() {
        look("Durable.random");
        restrictions.check("Durable.random");
        Coroutine self = dispatcher.running();
        return draws.bits(self.number, self.nextDraw());
    }

    /** Sets the line that says what the run is doing. It is no command: a replay sets it again. */
    public void details(@Nullable String line) {
        if (!restrictions.isInForce(Restriction.CONSTRUCTOR)) {
            restrictions.check("Durable.details");
        }
        details = line == null ? "" : Bounds.line(line);
    }

    /** Returns that line; empty where the code took it away, null where it never set one. */
    public @Nullable String details() {
        return details;
    }

    /** Returns the characters of the payloads in the history up to now. */
    public long charactersOfHistory() {
        return journal.characters();
    }

    // ── waits ───────────────────────────────────────────────────────────────────────────────────────────────────────

    public void sleep(Duration duration, @Nullable String summary) {
        waiting.sleep("Durable.sleep", duration, summary);
    }

    public Promise<@Nullable Void> timer(Duration duration, @Nullable String summary) {
        if (WaitCalls.isNoWait(duration)) {
            DurablePromise<@Nullable Void> fired = new DurablePromise<>(this);
            fired.settle(PromiseOutcome.success(null));
            return fired;
        }
        return work.start(waiting.mayCommand("Durable.timer"), duration, summary).promise;
    }

    /** Makes a promise that the code completes; allowed in the constructor, too, as it records nothing and waits for nothing. */
    public <T extends @Nullable Object> CompletablePromise<T> newPromise(Type type) {
        if (!restrictions.isInForce(Restriction.CONSTRUCTOR)) {
            restrictions.check("Durable.newPromise");
        }
        return new ManualPromise<>(this, type);
    }

    public void await(BooleanSupplier condition) {
        waiting.forCondition(condition);
        usesSignals();
    }

    /** Waits for a condition of the engine's own, which no signal brings about. */
    void awaitOwn(BooleanSupplier condition) {
        waiting.forCondition(condition);
    }

    public boolean await(Duration timeout, BooleanSupplier condition) {
        boolean holds = waiting.forCondition(condition, timeout);
        if (holds) {
            usesSignals();
        }
        return holds;
    }

    @Override
    public void waitFor(DurablePromise<?> promise) {
        look("Promise.get");
        waiting.forPromise(promise);
        hasGot(promise);
    }

    @Override
    public void waitFor(DurablePromise<?> promise, Duration timeout) {
        look("Promise.get");
        waiting.forPromise(promise, timeout);
        hasGot(promise);
    }

    /** Notes the wait for a promise that the code itself completes, mostly in a handler. */
    private void hasGot(DurablePromise<?> promise) {
        if (promise instanceof ManualPromise) {
            usesSignals();
        }
    }

    /**
     * Notes that a compensation or clean-up in {@code detached} has got what it waited for. The handlers of late messages,
     * which are not shielded, use nothing up: their waits only return where what they wait for is there already.
     */
    private void usesSignals() {
        if (ending.hasEnded() && dispatcher.running().isShielded()) {
            ending.usesSignals();
        }
    }

    void waitFor(String call, WaitCondition what) {
        waiting.until(call, what);
    }

    // ── coroutines ──────────────────────────────────────────────────────────────────────────────────────────────────

    public <T extends @Nullable Object> Promise<T> async(Body<T> body) {
        return start("Durable.async", "async", body::run);
    }

    /** Starts a coroutine of the running one; it is ready at once. */
    <T extends @Nullable Object> DurablePromise<T> start(String call, String kind, CheckedTask<T> body) {
        Coroutine by = waiting.mayCommand(call);
        DurablePromise<T> promise = new DurablePromise<>(this);
        dispatcher.ready(coroutines.child(by, kind, promise, body));
        return promise;
    }

    /** Starts a coroutine that is ready when the promise has settled. */
    @Override
    public <T extends @Nullable Object> DurablePromise<T> after(
            DurablePromise<?> first, String call, CheckedTask<T> body) {
        look(call);
        Coroutine by = waiting.mayCommand(call);
        first.observe();
        DurablePromise<T> promise = new DurablePromise<>(this);
        Coroutine next = coroutines.child(by, "then", promise, body);
        if (first.isSettled()) {
            dispatcher.ready(next);
        } else {
            first.listen(now -> dispatcher.ready(next));
        }
        return promise;
    }

    /**
     * Cancels a promise's operation; allowed in a cancelled coroutine too, as it begins no work, but not in a handler
     * after the end.
     */
    @Override
    public void cancel(DurablePromise<?> promise) {
        look("Promise.cancel");
        restrictions.check("Promise.cancel");
        if (dispatcher.running().isLate()) {
            throw new CancelledException("Promise.cancel was refused: " + RunEnding.RUN_ENDED);
        }
        OpenOperation source = promise.source();
        if (source != null) {
            source.cancel("Promise.cancel was called");
        }
    }

    public <T extends @Nullable Object, X extends Exception> T detached(ShieldedBody<T, X> body) throws X {
        restrictions.check("Durable.detached");
        Coroutine self = dispatcher.running();
        self.shield();
        try {
            return body.run();
        } finally {
            self.unshield();
        }
    }

    /** Returns whether the running coroutine was cancelled. */
    public boolean isCancelled() {
        return dispatcher.running().isCancelled();
    }

    public boolean allHandlersFinished() {
        return !handlers.isAnyRunning();
    }

    @Override
    public long nextSettled() {
        return ++settled;
    }

    @Override
    public Set<DurablePromise<?>> unobserved() {
        return ending.unobserved();
    }

    // ── activities ──────────────────────────────────────────────────────────────────────────────────────────────────

    @SuppressWarnings("unchecked") // what the stub was scheduled for returns a T
    public <T extends @Nullable Object> Promise<T> call(Body<T> stubCall) {
        return (Promise<T>) activities.capture(stubCall::run);
    }

    public <A> A activities(Class<A> type, Consumer<ActivityOptionsBuilder> options) {
        OptionsAtCallSite changes = new OptionsAtCallSite();
        try {
            options.accept(changes);
            return type.cast(activities.stub(setup.registry().activityType(type), changes::apply));
        } catch (IllegalArgumentException | RegistrationException e) {
            throw new UsageException(
                    "Durable.activities(" + type.getSimpleName() + ".class, …): "
                            + Thrown.of(e).words(),
                    e);
        }
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // the caller says what it is
    public <T> T activity(
            String name,
            Consumer<ActivityOptionsBuilder> options,
            Type resultType,
            @Nullable Object @Nullable [] arguments) {
        OptionsAtCallSite changes = new OptionsAtCallSite();
        try {
            options.accept(changes);
        } catch (IllegalArgumentException e) {
            throw new UsageException("Durable.activity(" + Bounds.quoted(name) + ", …): " + e.getMessage(), e);
        }
        try {
            return (T) activities.call(
                    name, changes::apply, resultType, arguments == null ? new @Nullable Object[1] : arguments);
        } catch (Throwable e) {
            throw Unchecked.<RuntimeException>raise(e);
        }
    }

    // ── other workflows ──────────────────────────────────────────────────────────────────────────────────────────────

    public <W> ExternalWorkflow<W> external(Class<W> type, String workflowId) {
        return externals.workflow(type, workflowId);
    }

    public ContinueCalls continuing() {
        return continuing;
    }

    /** Draws for this run from now on: the one that was started or, in the history of a fork, forked. */
    void drawsFor(UUID runId) {
        draws = new RunRandom(runId);
    }

    /** Becomes the run that was forked here, between two turns of its history. */
    public void forked(WorkflowForked fork) {
        feed.forked(fork);
        ChainLink link = fork.chain();
        if (link != null) {
            sent.goOn(link);
        }
        drawsFor(fork.runId());
        ending.forked(feed.started());
    }

    /** Returns the link to the run that continues this one. */
    public ChainLink nextLink() {
        WorkflowStarted started = feed.started();
        return new ChainLink(
                started.chainId(),
                started.runId(),
                sent.messages(),
                sent.children(),
                work.children().carried());
    }

    /** Goes on with the counts and the children of the runs before; {@code body} is the coroutine of {@code run}. */
    void goOn(ChainLink link, Coroutine body) {
        sent.goOn(link);
        children.inherit(link.children(), body);
    }

    /** Returns the children that earlier runs of the chain have started. */
    public List<ChildHandle<?, ?>> inheritedChildren() {
        return children.inherited();
    }

    /** Returns a child that an earlier run of the chain has started. */
    public <W> ChildHandle<W, ?> child(Class<W> declared, String workflowId) {
        return children.inherited(declared, workflowId);
    }

    /** Starts a child whose class is known. */
    public <W, R extends @Nullable Object> ChildHandle<W, R> startChild(
            Class<W> declared, ChildOptions options, Recorded recorded) {
        return children.start(declared, options, recorded);
    }

    /** Starts a child by the name of its type. */
    public <R extends @Nullable Object> ChildHandle<Object, R> startChild(
            String name, ChildOptions options, Type resultType, @Nullable Object @Nullable [] arguments) {
        return children.start(name, options, resultType, arguments == null ? new @Nullable Object[1] : arguments);
    }

    public <T extends @Nullable Object> Callback<T> callback(Type type, Duration timeout) {
        return callbacks.open(type, timeout);
    }

    public <T extends @Nullable Object> WorkflowStream<T> stream(String name, Type type) {
        return streams.stream(name, type);
    }

    // ── recorded values ──────────────────────────────────────────────────────────────────────────────────────────────

    @SuppressWarnings({"unchecked", "NullAway"}) // a T that allows null
    public <T extends @Nullable Object> T sideEffect(Type type, Body<T> supplier) {
        waiting.mayCommand("Durable.sideEffect");
        Payload value = journal.isLive() ? valueOf(type, supplier) : recordedValue();
        SideEffectRecorded recorded = journal.put((id, at) -> new SideEffectRecorded(id, at, value));
        return (T) decoder.decode(recorded.value(), type, "the value of Durable.sideEffect");
    }

    /**
     * Runs a side effect and encodes its value. A failure leaves no event, so a replay could not repeat it: the turn is
     * tried again as a whole instead.
     */
    private Payload valueOf(Type type, Body<?> supplier) {
        try {
            @Nullable Object value = restrictions.call(Restriction.SIDE_EFFECT, supplier::run);
            return setup.codec().encode(value, type, "the value of Durable.sideEffect");
        } catch (Eviction e) {
            throw e;
        } catch (Throwable e) {
            dispatcher.die(dispatcher.threads().sideEffectFailed(e));
            throw Eviction.INSTANCE;
        }
    }

    private Payload recordedValue() {
        return journal.expected() instanceof SideEffectRecorded recorded ? recorded.value() : Payload.NULL;
    }

    public int version(String changeId, int min, int max) {
        restrictions.check("Durable.version");
        return versions.ask(changeId, min, max);
    }

    public void compensate(VoidBody undo) {
        restrictions.check("Durable.compensate");
        ending.compensate(undo);
    }

    // ── logging ─────────────────────────────────────────────────────────────────────────────────────────────────────

    public static Logger logger(Class<?> type) {
        return new WorkflowLogger(LoggerFactory.getLogger(type));
    }

    /** Returns whether lines that this thread logs are written; a replay has written them before. */
    boolean logs() {
        return dispatcher.death() == null && (isAsked() || journal.isLive());
    }

    @Override
    public boolean isAsked() {
        return restrictions.isInForce(Restriction.QUERY) || restrictions.isInForce(Restriction.VALIDATOR);
    }

    /** Writes a line of a query or validator at once, any other when its turn is committed. */
    void log(Runnable line) {
        if (isAsked()) {
            line.run();
        } else {
            turnLog.add(line);
        }
    }

    // ── turns ───────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Begins a turn by applying its event; the code runs afterwards. */
    public void begin(TurnScript turn) {
        journal.begin(turn);
        coroutines.beginTurn();
        children.beginTurn();
        if (turn.isLive()) {
            stalls.check();
        }
        feed.apply(turn.event(), turn.withNext());
    }

    // ── the parts of the run, for its instance ───────────────────────────────────────────────────────────────────────

    public Dispatcher dispatcher() {
        return dispatcher;
    }

    public TurnLog turnLog() {
        return turnLog;
    }

    public OpenWork work() {
        return work;
    }

    public OpenChildren children() {
        return work.children();
    }

    WaitCalls waiting() {
        return waiting;
    }

    RunRandom draws() {
        return draws;
    }

    Coroutines coroutines() {
        return coroutines;
    }

    public Restrictions restrictions() {
        return restrictions;
    }

    public ActivityCalls activities() {
        return activities;
    }

    public Versions versions() {
        return versions;
    }

    public boolean hasStartedChildren() {
        return sent.upcomingChild() > 1;
    }

    SentMessages sent() {
        return sent;
    }

    CurrentTurn turn() {
        return journal;
    }

    HandlersUnderWay handlers() {
        return handlers;
    }

    public StallRules stalls() {
        return stalls;
    }

    public RunEnding ending() {
        return ending;
    }

    public EventApplier feed() {
        return feed;
    }

    public WorkflowStarted started() {
        return feed.started();
    }
}
