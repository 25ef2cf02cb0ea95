package dev.durable.micrometer;

import dev.durable.ActivityInfo;
import dev.durable.RemoteException;
import dev.durable.client.EngineNames;
import dev.durable.intercept.ActivityCall;
import dev.durable.intercept.ChildStartCall;
import dev.durable.intercept.ClientInterceptor;
import dev.durable.intercept.InterceptedEngine;
import dev.durable.intercept.Next;
import dev.durable.intercept.ScheduleCall;
import dev.durable.intercept.SentUpdate;
import dev.durable.intercept.SignalCall;
import dev.durable.intercept.StartCall;
import dev.durable.intercept.TurnCall;
import dev.durable.intercept.WorkEnd;
import dev.durable.intercept.WorkerInterceptor;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
import dev.durable.store.JobStart;
import dev.durable.store.RunIds;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes observations of starts, signals, updates, turns, activities and starts of children, which handlers of Micrometer
 * Tracing turn into spans of one trace, from the caller's span to the activities in other processes: {@code
 * builder.intercept(DurableTracing.of(observationRegistry))}. The trace travels in the headers of runs and jobs, as the
 * registry's handlers write them (W3C's {@code traceparent}, say).
 *
 * <pre>
 *   the caller's span
 *     └ durable.start                     headers of the run
 *         ├ durable.turn                  WorkflowStarted
 *         │   ├ durable.schedule          headers of the job
 *         │   │   ├ durable.activity      attempt 1
 *         │   │   └ durable.activity      attempt 2
 *         │   └ durable.child             headers of the child
 *         │       └ durable.turn          WorkflowStarted of the child
 *         └ durable.turn                  ActivityCompleted
 * </pre>
 *
 * <p>A replay makes none. What happens later than {@link #oneTraceFor} after the start begins a trace of its own, so that
 * no trace lasts for days. {@link DurableObservation} has the names. Thread-safe.
 */
public final class DurableTracing implements ClientInterceptor, WorkerInterceptor {
    /** A run's turns are spans of the trace of its start for so long by default. */
    public static final Duration DEFAULT_ONE_TRACE_FOR = Duration.ofHours(1);

    private static final Logger log = LoggerFactory.getLogger(DurableTracing.class);

    static final String TRACEPARENT = "traceparent";
    /**
     * The header that says when the span began that the headers beside it name, in milliseconds since 1970: they may be copied
     * days later.
     */
    static final String TRACED = "durable.traced";

    /** Version, trace, span and flags as W3C has them; a later version may have more behind them. */
    private static final Pattern SPAN =
            Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[!-~]{0,200})?");

    private static final String WORKFLOW_ID = "durable.workflow.id";
    private static final String WORKFLOW_TYPE = "durable.workflow.type";
    private static final String RUN_ID = "durable.run.id";
    private static final String ACTIVITY_SEQ = "durable.activity.seq";
    private static final String NONE = "none";
    private static final InterceptedEngine NO_ENGINE = new InterceptedEngine(
            new EngineNames("", Set.of(), Set.of(), Set.of(), Set.of(), Set.of()), MaskedExceptions::of);

    private final ObservationRegistry registry;
    private final Duration oneTraceFor;
    private final InstantSource clock;
    private final InterceptedEngine engine;
    private final TracedNames names;
    private final SharedTags.Cache shared = new SharedTags.Cache(this::make);
    private final AtomicBoolean warned = new AtomicBoolean();

    private DurableTracing(
            ObservationRegistry registry, Duration oneTraceFor, InstantSource clock, InterceptedEngine engine) {
        this.registry = registry;
        this.engine = engine;
        this.names = new TracedNames(engine.names());
        this.oneTraceFor = oneTraceFor;
        this.clock = clock;
    }

    /** Observations in this registry. */
    public static DurableTracing of(ObservationRegistry registry) {
        return new DurableTracing(registry, DEFAULT_ONE_TRACE_FOR, InstantSource.system(), NO_ENGINE);
    }

    /**
     * Sets for how long a trace goes on: a turn that is made later than that after the start of its run, and an attempt
     * that begins later than that after it was scheduled, begin a new trace.
     *
     * @throws IllegalArgumentException where it is negative
     */
    public DurableTracing oneTraceFor(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException(
                    "oneTraceFor(" + time + "): a trace goes on for a time of 0 or more. 0 begins a"
                            + " trace with each turn and each attempt.");
        }
        return new DurableTracing(registry, time, clock, engine);
    }

    /** Copies the tracing with another clock. */
    DurableTracing by(InstantSource other) {
        return new DurableTracing(registry, oneTraceFor, other, engine);
    }

    /**
     * Copies the tracing for one engine: with its schema, with places for its names, and with exceptions as it masks
     * them.
     */
    @Override
    public DurableTracing in(InterceptedEngine of) {
        return new DurableTracing(registry, oneTraceFor, clock, of);
    }

    /** Matches where these headers, which a caller may have chosen, name a span as W3C does. */
    static Matcher span(Map<String, String> headers) {
        return SPAN.matcher(headers.getOrDefault(TRACEPARENT, ""));
    }

    // ── clients ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public void start(StartCall call, Next next) {
        String operation =
                switch (call.kind()) {
                    case WORKFLOW -> "start";
                    case SIGNAL_WITH_START -> "signalWithStart";
                    case UPDATE_WITH_START -> "updateWithStart";
                    case JOB -> "enqueue";
                    case BATCH -> "enqueueAll";
                };
        String queue = call.taskQueue();
        CallTags tags = tags(
                new SharedTags.Call(DurableObservation.START, operation, call.type(), "", queue == null ? NONE : queue),
                () -> ofStart(call));
        run(DurableObservation.START, sent(tags, call.headers()), tags, next);
    }

    /** The id of the run is known when the call was made. */
    private static KeyValues ofStart(StartCall call) {
        KeyValues own = KeyValues.of(WORKFLOW_ID, call.workflowId());
        return call.runId().map(run -> own.and(RUN_ID, run.toString())).orElse(own);
    }

    /** The handler's span is one of the turn that it is fed to: a signal carries no headers. */
    @Override
    public void signal(SignalCall call, Next next) {
        String type = call.type();
        CallTags tags = tags(
                new SharedTags.Call(
                        DurableObservation.SIGNAL, "signal", type == null ? "unknown" : type, call.name(), NONE),
                () -> KeyValues.of(WORKFLOW_ID, call.workflowId()));
        run(DurableObservation.SIGNAL, sent(tags, null), tags, next);
    }

    /** The handler's span is one of the turn that the update is fed to: an update carries no headers. */
    @Override
    public void update(SentUpdate call, Next next) {
        CallTags tags = tags(
                new SharedTags.Call(DurableObservation.UPDATE, "update", call.type(), call.name(), NONE),
                () -> KeyValues.of(
                        WORKFLOW_ID,
                        call.workflowId(),
                        RUN_ID,
                        call.runId().toString(),
                        "durable.update.id",
                        call.updateId()));
        run(DurableObservation.UPDATE, sent(tags, null), tags, next);
    }

    // ── workers ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public void turn(TurnCall call, Next next) {
        CallTags tags = tags(
                new SharedTags.Call(DurableObservation.TURN, "turn", call.type(), call.event(), call.taskQueue()),
                () -> KeyValues.of(
                        WORKFLOW_ID,
                        call.workflowId(),
                        RUN_ID,
                        call.runId().toString(),
                        "durable.event.id",
                        Long.toString(call.eventId())));
        run(DurableObservation.TURN, received(tags, call.headers(), call.startedAt()), tags, next);
    }

    @Override
    public void schedule(ScheduleCall call, Next next) {
        CallTags tags = tags(
                new SharedTags.Call(
                        DurableObservation.SCHEDULE, "schedule", call.type(), call.activity(), call.taskQueue()),
                () -> KeyValues.of(
                        WORKFLOW_ID,
                        call.workflowId(),
                        RUN_ID,
                        call.runId().toString(),
                        ACTIVITY_SEQ,
                        Integer.toString(call.seq())));
        run(DurableObservation.SCHEDULE, sent(tags, call.headers()), tags, next);
    }

    @Override
    public void startChild(ChildStartCall call, Next next) {
        CallTags tags = tags(
                new SharedTags.Call(
                        DurableObservation.CHILD, "startChild", call.type(), call.childType(), call.taskQueue()),
                () -> KeyValues.of(
                        WORKFLOW_ID,
                        call.workflowId(),
                        RUN_ID,
                        call.runId().toString(),
                        "durable.child.workflow.id",
                        call.childWorkflowId(),
                        "durable.child.run.id",
                        call.childRunId().toString()));
        run(DurableObservation.CHILD, sent(tags, call.headers()), tags, next);
    }

    @Override
    public void activity(ActivityCall call, Next next) {
        ActivityInfo info = call.info();
        CallTags tags = tags(
                new SharedTags.Call(
                        DurableObservation.ACTIVITY,
                        "activity",
                        info.workflowType(),
                        info.activity(),
                        info.taskQueue()),
                () -> KeyValues.of(
                        WORKFLOW_ID,
                        info.workflowId(),
                        RUN_ID,
                        info.runId().toString(),
                        ACTIVITY_SEQ,
                        Integer.toString(info.seq()),
                        "durable.attempt",
                        Integer.toString(info.attempt())));
        run(DurableObservation.ACTIVITY, received(tags, call.headers(), tracedSince(info)), tags, next);
    }

    /** A background job has the headers of its start, which is older than its scheduling where it was delayed. */
    private static Instant tracedSince(ActivityInfo info) {
        Instant started = RunIds.time(info.runId());
        return info.workflowType().equals(JobStart.TYPE) && started.isBefore(info.scheduledAt())
                ? started
                : info.scheduledAt();
    }

    // ── observations ─────────────────────────────────────────────────────────────────────────────────────────────────

    private CallTags tags(SharedTags.Call call, Supplier<KeyValues> own) {
        String schema = engine.names().schema();
        return new CallTags(
                shared.of(call), schema.isEmpty() ? own : () -> own.get().and("durable.schema", schema));
    }

    /** With OpenTelemetry's names for messaging. */
    private SharedTags make(SharedTags.Call call) {
        String type = names.type(call.type());
        String subject = names.subject(call.kind(), call.subject());
        String contextualName =
                switch (call.kind()) {
                    case START, TURN -> call.operation() + " " + type;
                    case SIGNAL, UPDATE, SCHEDULE, CHILD -> call.operation() + " " + subject;
                    case ACTIVITY -> subject;
                };
        KeyValues messaging = KeyValues.of(
                "messaging.system",
                "durable",
                "messaging.operation.type",
                call.kind().operationType(),
                "messaging.operation.name",
                call.operation(),
                "messaging.destination.name",
                names.queue(call.queue()));
        return SharedTags.of(contextualName, messaging.and(own(call.kind(), type, subject)));
    }

    private static KeyValues own(DurableObservation kind, String type, String subject) {
        return switch (kind) {
            case START -> KeyValues.of("durable.type", type);
            case SIGNAL -> KeyValues.of(WORKFLOW_TYPE, type, "durable.signal", subject);
            case UPDATE -> KeyValues.of(WORKFLOW_TYPE, type, "durable.update", subject);
            case TURN -> KeyValues.of(WORKFLOW_TYPE, type, "durable.event", subject);
            case SCHEDULE, ACTIVITY -> KeyValues.of(WORKFLOW_TYPE, type, "durable.activity", subject);
            case CHILD -> KeyValues.of(WORKFLOW_TYPE, type, "durable.child.type", subject);
        };
    }

    private SentContext sent(CallTags tags, @Nullable Map<String, String> headers) {
        return new SentContext(tags, this::write, headers);
    }

    private void write(@Nullable Map<String, String> headers, String key, String value) {
        if (headers != null) {
            headers.put(key, value);
            headers.put(TRACED, Long.toString(clock.millis()));
        }
    }

    /** @param since from when on a trace goes on, unless its span is older */
    private ReceivedContext received(CallTags tags, Map<String, String> headers, Instant since) {
        Instant traced = traced(headers, since);
        Duration age = Duration.between(traced, clock.instant());
        return oneTraceFor.isZero() || age.compareTo(oneTraceFor) > 0
                ? new LinkedContext(tags, headers)
                : new ReceivedContext(tags, headers);
    }

    /** A job that is enqueued again, or retried by an operator, has the headers of its first start, however long ago that was. */
    private static Instant traced(Map<String, String> headers, Instant since) {
        String written = headers.get(TRACED);
        if (written == null) {
            return since;
        }
        try {
            Instant traced = Instant.ofEpochMilli(Long.parseLong(written));
            return traced.isBefore(since) ? traced : since;
        } catch (NumberFormatException e) {
            return since;
        }
    }

    /**
     * An exception of a handler (one of the application's, a tracer's) loses the span and not the call: otherwise the
     * call would be refused, or reported as failed when it is done.
     */
    private void run(DurableObservation what, Observation.Context context, CallTags tags, Next next) {
        if (registry.isNoop()) {
            next.proceed();
            return;
        }
        Observation observation = Observation.createNotStarted(what.observationName(), () -> context, registry);
        context.setContextualName(tags.contextualName());
        harmless(observation::start);
        Observation.Scope before = registry.getCurrentObservationScope();
        Observation.Scope scope = opened(observation, before);
        Throwable thrown = null;
        try {
            next.proceed();
        } catch (Throwable e) {
            thrown = e;
            throw e;
        } finally {
            Throwable failed = thrown;
            harmless(() -> end(observation, tags, next.end().orElse(null), failed));
            close(scope, before);
            harmless(observation::stop);
        }
    }

    /** Handlers get no exception as it was thrown: they write its messages to wherever spans go. */
    private void end(Observation observation, CallTags tags, @Nullable WorkEnd end, @Nullable Throwable thrown) {
        Throwable failure = end == null ? null : end.failure();
        Throwable masked = thrown == null ? null : engine.masked().apply(thrown);
        String status = end == null ? null : statusOf(end.kind());
        if (status != null) {
            tags.add(KeyValue.of("durable.workflow.status", status));
        }
        if (failure != null && masked != null) {
            failure.addSuppressed(masked);
        }
        Throwable error = failure == null ? masked : failure;
        if (error == null) {
            tags.completed();
            return;
        }
        String type = error instanceof RemoteException remote
                ? remote.type()
                : error.getClass().getName();
        tags.ended(
                end != null && end.kind() == WorkEnd.Kind.STALE ? "stale" : "failed", names.error(Bounds.shown(type)));
        observation.error(error);
    }

    /** Null where the run has not ended. */
    private static @Nullable String statusOf(WorkEnd.Kind kind) {
        return switch (kind) {
            case RUN_COMPLETED -> "COMPLETED";
            case RUN_FAILED -> "FAILED";
            case RUN_CANCELLED -> "CANCELLED";
            case STALE -> null;
        };
    }

    private Observation.Scope opened(Observation observation, Observation.@Nullable Scope before) {
        try {
            return observation.openScope();
        } catch (Throwable e) {
            threw(e);
            registry.setCurrentObservationScope(before);
            return Observation.Scope.NOOP;
        }
    }

    private void close(Observation.Scope scope, Observation.@Nullable Scope before) {
        try {
            scope.close();
        } catch (Throwable e) {
            threw(e);
            registry.setCurrentObservationScope(before);
        }
    }

    private void harmless(Runnable telling) {
        try {
            telling.run();
        } catch (Throwable e) {
            threw(e);
        }
    }

    private void threw(Throwable thrown) {
        Throwable shown = engine.masked().apply(thrown);
        if (warned.getAndSet(true)) {
            Thrown.quietly(() -> log.debug("an observation failed", shown));
        } else {
            Thrown.quietly(() -> log.warn(
                    "an observation of the engine failed, and its span is not as it should be; the work goes on. Usual cause:"
                            + " a handler, filter or convention of the ObservationRegistry that throws. Later ones are logged at"
                            + " DEBUG.",
                    shown));
        }
    }
}
