package dev.durable.internal.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityCancelRequested;
import dev.durable.history.ActivityCancelled;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.CallbackCancelled;
import dev.durable.history.CallbackCompleted;
import dev.durable.history.CallbackExtended;
import dev.durable.history.CallbackOpened;
import dev.durable.history.CallbackTimedOut;
import dev.durable.history.ChildCancelRequested;
import dev.durable.history.ChildCancelled;
import dev.durable.history.ChildCompleted;
import dev.durable.history.ChildFailed;
import dev.durable.history.ChildSignalRequested;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.ChildStartWatched;
import dev.durable.history.ExternalCancelRequested;
import dev.durable.history.ExternalSignalRequested;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.Payload;
import dev.durable.history.SideEffectRecorded;
import dev.durable.history.SignalReceived;
import dev.durable.history.StreamAppended;
import dev.durable.history.TimeoutType;
import dev.durable.history.TimerCancelled;
import dev.durable.history.TimerFired;
import dev.durable.history.TimerStarted;
import dev.durable.history.UpdateCompleted;
import dev.durable.history.UpdateFailed;
import dev.durable.history.VersionRecorded;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.history.WorkflowCancelled;
import dev.durable.history.WorkflowCompleted;
import dev.durable.history.WorkflowContinuedAsNew;
import dev.durable.history.WorkflowFailed;
import dev.durable.history.WorkflowStarted;
import dev.durable.history.WorkflowTerminated;
import dev.durable.history.WorkflowTimedOut;
import dev.durable.internal.declare.Registry;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.intercept.Propagation;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.internal.replay.call.Acts;
import dev.durable.internal.replay.match.AsideThreads;
import dev.durable.internal.replay.match.RecordedTurn;
import dev.durable.internal.replay.match.ReplaySetup;
import dev.durable.internal.replay.match.Turn;
import dev.durable.store.RunKey;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Given a history, expect commands. After each turn the history so far is replayed from scratch, strictly, and must lead
 * to the same state.
 */
public final class GivenRun implements AutoCloseable {
    public static final PayloadCodec CODEC = new PayloadCodec(PayloadCodec.DEFAULT_MAX_BYTES);
    public static final FailureCodec FAILURES = new FailureCodec(CODEC);
    private static final AsideThreads ASIDES = new AsideThreads();
    private static final Duration LONG = Duration.ofSeconds(20);
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private long drawn;
    private final Registry registry;
    private final WorkflowType type;
    private final RunKey key = new RunKey(new UUID(0x0190_0000_0000_7000L, 42), "run-1");
    private final List<HistoryEvent> history = new ArrayList<>();
    private final Object argument;
    private Instant now = START;
    private WorkflowInstance instance;
    private Turn last;
    private boolean checked = true;
    private Set<Class<? extends Throwable>> stallOn = Set.of();

    private GivenRun(Class<?> workflow, Object argument) {
        this.registry = Registry.builder().register(workflow).build();
        this.type = registry.workflowOf(workflow);
        this.argument = argument;
        this.instance = instance(false);
    }

    /** A run, to be {@link #started}, of an engine with these types in {@code stallOn}. */
    public GivenRun(Class<?> workflow, Object argument, Class<? extends Throwable> stallOn) {
        this(workflow, argument);
        this.stallOn = Set.of(stallOn);
        this.instance = instance(false);
    }

    /** A run of this code, started. */
    public static GivenRun of(Scripted.Code code) {
        return new GivenRun(Scripted.class, Scripted.keep(code)).started();
    }

    /** A run of this class, started. */
    public static GivenRun of(Class<?> workflow, Object argument) {
        return new GivenRun(workflow, argument).started();
    }

    /** A run of this code that is not checked by replay: for many turns. */
    static GivenRun unchecked(String code) {
        GivenRun run = new GivenRun(Scripted.class, code);
        run.checked = false;
        return run.started();
    }

    public GivenRun started() {
        return feed(startedEvent());
    }

    static WorkflowInstance unstarted() {
        return new GivenRun(Scripted.class, "").instance;
    }

    public static WorkflowInstance unstarted(Class<?> workflow) {
        return new GivenRun(workflow, "").instance;
    }

    public static WorkflowStarted startedWithFlags(int flags) {
        WorkflowStarted plain = new GivenRun(Scripted.class, "").startedEvent();
        return new WorkflowStarted(
                1,
                plain.at(),
                plain.workflowId(),
                plain.runId(),
                plain.workflowType(),
                plain.taskQueue(),
                plain.input(),
                flags,
                null,
                Map.of(),
                false,
                null,
                null);
    }

    private WorkflowStarted startedEvent() {
        return new WorkflowStarted(
                1,
                now,
                "run-1",
                key.runId(),
                type.name(),
                "queue",
                json(argument),
                0,
                null,
                Map.of("tenant", "t1"),
                false,
                null,
                null);
    }

    // ── events ──────────────────────────────────────────────────────────────────────────────────────────────────────

    public GivenRun completed(int seq, Object result) {
        Payload payload = result == null ? Payload.NULL : CODEC.encode(result, result.getClass(), "result");
        return feed(completion(seq, payload));
    }

    /** An outcome to be fed to another instance of the run. */
    public HistoryEvent.Inbound outcome(int seq) {
        return completion(seq, Payload.NULL);
    }

    private ActivityCompleted completion(int seq, Payload result) {
        return new ActivityCompleted(id(), now, seq, 1, UUID.randomUUID(), result, now, "worker");
    }

    public GivenRun failed(int seq, Throwable thrown) {
        Failure failure = FAILURES.encode(thrown, List.of(Acts.Declined.class));
        return feed(new ActivityFailed(id(), now, seq, 3, UUID.randomUUID(), failure, "worker"));
    }

    public GivenRun timedOut(int seq) {
        return feed(new ActivityTimedOut(id(), now, seq, 2, UUID.randomUUID(), TimeoutType.START_TO_CLOSE, null));
    }

    public GivenRun cancelled(int seq) {
        return feed(new ActivityCancelled(id(), now, seq, 1, UUID.randomUUID(), null));
    }

    public GivenRun childCompleted(long number, Payload result) {
        return feed(new ChildCompleted(id(), now, number, chain(number), result));
    }

    public GivenRun childFailed(long number, Throwable thrown) {
        Failure failure = FAILURES.encode(thrown, List.of());
        return feed(new ChildFailed(id(), now, number, chain(number), WorkflowStatus.FAILED, failure));
    }

    public GivenRun childCancelled(long number) {
        return feed(new ChildCancelled(id(), now, number, chain(number), null));
    }

    private UUID chain(long number) {
        return history.stream()
                .filter(ChildStartRequested.class::isInstance)
                .map(ChildStartRequested.class::cast)
                .filter(child -> child.number() == number)
                .findFirst()
                .orElseThrow()
                .runId();
    }

    /** The outcome of another run than the child that was started. */
    public GivenRun expectNotAcceptedOfOther(long number) {
        assertThat(instance.accepts(new ChildCompleted(id(), now, number, UUID.randomUUID(), Payload.NULL)))
                .isFalse();
        return this;
    }

    public GivenRun callbackCompleted(long number, Object value) {
        return feed(new CallbackCompleted(id(), now, callback(number), CODEC.encode(value, value.getClass(), "value")));
    }

    public GivenRun callbackTimedOut(long number) {
        return feed(new CallbackTimedOut(id(), now, callback(number)));
    }

    public GivenRun callbackExtended(long number, Duration time) {
        return feed(new CallbackExtended(id(), now, UUID.randomUUID(), callback(number), time));
    }

    /** Returns whether the timeout of a callback can be fed. */
    public boolean acceptsCallbackTimeout(long number) {
        return instance.accepts(new CallbackTimedOut(id(), now, callback(number)));
    }

    private UUID callback(long number) {
        return history.stream()
                .filter(CallbackOpened.class::isInstance)
                .map(CallbackOpened.class::cast)
                .filter(opened -> opened.number() == number)
                .findFirst()
                .orElseThrow()
                .callback();
    }

    /** The timer fires when it is due. */
    public GivenRun fired(int seq) {
        now = instance.dueTimers(Instant.MAX).stream()
                .filter(timer -> timer.seq() == seq)
                .findFirst()
                .orElseThrow()
                .fireAt();
        return feed(new TimerFired(id(), now, seq));
    }

    public GivenRun signal(String name, String text) {
        return feed(new SignalReceived(id(), now, UUID.randomUUID(), name, json(text)));
    }

    /** Sends a signal as a client that does not have the class may send it. */
    GivenRun tellJson(String arguments) {
        return feed(new SignalReceived(id(), now, UUID.randomUUID(), "tell", new Payload(arguments)));
    }

    public GivenRun tell(String text) {
        return signal("tell", text);
    }

    public GivenRun cancelRequested(String reason) {
        return feed(new WorkflowCancelRequested(id(), now, UUID.randomUUID(), reason, "ann"));
    }

    public GivenRun at(Duration later) {
        now = START.plus(later);
        return this;
    }

    private GivenRun feed(HistoryEvent.Inbound event) {
        last = instance.feed(event);
        last.onCommitted();
        history.add(event);
        history.addAll(last.commands());
        if (checked) {
            checkByReplay();
        }
        return this;
    }

    private static Payload json(Object argument) {
        return CODEC.encode(new Object[] {argument}, Object[].class, "arguments");
    }

    // ── expectations ────────────────────────────────────────────────────────────────────────────────────────────────

    /** The commands of the last turn. */
    public GivenRun expect(String... commands) {
        assertThat(last.commands().stream().map(GivenRun::text)).containsExactly(commands);
        return this;
    }

    public GivenRun expectOpen() {
        assertThat(instance.close(id())).isNull();
        return this;
    }

    public GivenRun expectClose(String how) {
        assertThat(text(instance.close(id()))).isEqualTo(how);
        return this;
    }

    public GivenRun expectSeen(String... what) {
        assertThat(seen(instance)).containsExactly(what);
        return this;
    }

    public static String text(HistoryEvent.Command command) {
        return switch (command) {
            case ActivityScheduled c ->
                "schedule " + c.seq() + " " + c.activity() + c.input().json();
            case ActivityCancelRequested c -> "cancel activity " + c.seq();
            case TimerStarted c -> "timer " + c.seq() + " " + Duration.between(c.at(), c.fireAt());
            case TimerCancelled c -> "cancel timer " + c.seq();
            case SideEffectRecorded c -> "side effect " + c.value().json();
            case StreamAppended c -> "append to " + c.stream() + " " + c.value().json();
            case VersionRecorded c -> "version " + c.changeId() + " " + c.version();
            case ExternalSignalRequested c ->
                "signal " + c.number() + " " + c.workflowId() + " " + c.signal()
                        + c.input().json();
            case ExternalCancelRequested c ->
                "cancel workflow " + c.number() + " " + c.workflowId() + ": " + c.reason();
            case UpdateCompleted c ->
                "answer " + c.updateId() + " " + c.result().json();
            case UpdateFailed c -> "fail " + c.updateId() + " " + c.failure().typeAndMessage();
            case ChildStartRequested c ->
                "child " + c.number() + " " + c.workflowType() + " " + c.workflowId()
                        + c.input().json();
            case ChildCancelRequested c ->
                (c.terminate() ? "terminate child " : "cancel child ") + c.number() + ": " + c.reason();
            case ChildSignalRequested c ->
                "signal child " + c.number() + " " + c.signal() + c.input().json();
            case ChildStartWatched c -> "watch child " + c.number();
            case CallbackOpened c -> "callback " + c.number();
            case CallbackCancelled c -> "cancel callback " + c.number();
        };
    }

    public static String text(HistoryEvent.Closing close) {
        return switch (close) {
            case null -> "open";
            case WorkflowCompleted c -> "completed " + c.result().json();
            case WorkflowFailed c ->
                "failed " + c.failure().type() + ": " + c.failure().message();
            case WorkflowCancelled c -> "cancelled " + c.reason();
            case WorkflowTimedOut c -> "timed out";
            case WorkflowTerminated c -> "terminated";
            case WorkflowContinuedAsNew c ->
                "continued as " + c.workflowType() + " " + c.input().json();
        };
    }

    /** What the code has seen, one by one with a text of each. */
    public GivenRun expectSeenContaining(String... texts) {
        List<String> seen = seen(instance);
        assertThat(seen).hasSize(texts.length);
        for (int i = 0; i < texts.length; i++) {
            assertThat(seen.get(i)).contains(texts[i]);
        }
        return this;
    }

    @SuppressWarnings("unchecked")
    private List<String> seen(WorkflowInstance of) {
        Type strings = type.methods().queries().get("seen").returnType();
        return (List<String>) CODEC.decode(of.query("seen", Payload.NO_ARGUMENTS), strings, "seen");
    }

    // ── replay ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Drops the instance in memory; the run goes on from its history. */
    public GivenRun evicted() {
        instance.evict();
        instance = rebuilt();
        return this;
    }

    private void checkByReplay() {
        WorkflowInstance replayed = rebuilt();
        try {
            assertThat(text(replayed.close(id()))).isEqualTo(text(instance.close(id())));
            assertThat(replayed.nextTimer()).isEqualTo(instance.nextTimer());
            if (type.methods().queries().containsKey("seen")) {
                assertThat(seen(replayed)).isEqualTo(seen(instance));
            }
        } finally {
            replayed.evict();
        }
    }

    private WorkflowInstance rebuilt() {
        WorkflowInstance rebuilt = instance(true);
        RecordedTurn.of(history).forEach(turn -> rebuilt.replay(turn.event(), turn.commands()));
        return rebuilt;
    }

    public WorkflowInstance instance(boolean strict) {
        return instance(strict, LONG);
    }

    private WorkflowInstance instance(boolean strict, Duration turnLimit) {
        // Where code is given up, other tests must not know its run.
        return instance(strict, turnLimit, turnLimit.equals(LONG) ? ASIDES : new AsideThreads());
    }

    private WorkflowInstance instance(boolean strict, Duration turnLimit, AsideThreads asides) {
        return new WorkflowInstance(
                type,
                key,
                new ReplaySetup(
                        CODEC,
                        FAILURES,
                        registry,
                        strict,
                        false,
                        turnLimit,
                        stallOn,
                        Propagation.NONE,
                        () -> new UUID(7, ++drawn),
                        asides));
    }

    /** Only feeds the start, without replay: for code that does not come to a wait. */
    public static WorkflowInstance stalling(Scripted.Code code, Duration turnLimit) {
        return stalling(new GivenRun(Scripted.class, Scripted.keep(code)), turnLimit);
    }

    /** As {@link #stalling}, of an engine with these threads. */
    public static WorkflowInstance stalling(Class<?> workflow, Duration turnLimit, AsideThreads asides) {
        GivenRun run = new GivenRun(workflow, "");
        WorkflowInstance instance = run.instance(false, turnLimit, asides);
        instance.feed(run.startedEvent());
        return instance;
    }

    public static WorkflowInstance stalling(Class<?> workflow, Duration turnLimit) {
        return stalling(new GivenRun(workflow, ""), turnLimit);
    }

    private static WorkflowInstance stalling(GivenRun run, Duration turnLimit) {
        WorkflowInstance instance = run.instance(false, turnLimit);
        instance.feed(run.startedEvent());
        return instance;
    }

    /** As the test kit feeds it, with a limit of a turn that no test waits for. */
    public static WorkflowInstance strictly(Class<?> workflow) {
        GivenRun run = new GivenRun(workflow, "");
        WorkflowInstance instance = run.instance(true, Duration.ofMinutes(10));
        instance.feed(run.startedEvent());
        return instance;
    }

    public WorkflowInstance instance() {
        return instance;
    }

    public Turn last() {
        return last;
    }

    public List<HistoryEvent> history() {
        return history;
    }

    private long id() {
        return history.size() + 1L;
    }

    @Override
    public void close() {
        instance.evict();
    }
}
