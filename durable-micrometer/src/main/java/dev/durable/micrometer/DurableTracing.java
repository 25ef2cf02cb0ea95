package dev.durable.micrometer;

import dev.durable.ActivityInfo;
import dev.durable.intercept.ActivityCall;
import dev.durable.intercept.ClientInterceptor;
import dev.durable.intercept.Next;
import dev.durable.intercept.ScheduleCall;
import dev.durable.intercept.SignalCall;
import dev.durable.intercept.StartCall;
import dev.durable.intercept.TurnCall;
import dev.durable.intercept.WorkerInterceptor;
import dev.durable.store.JobStart;
import dev.durable.store.RunIds;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes observations of starts, signals, turns and activities, which handlers of Micrometer Tracing turn into spans of one
 * trace, from the caller's span to the activities in other processes: {@code
 * builder.intercept(DurableTracing.of(observationRegistry))}. The trace travels in the headers of runs and jobs, as the
 * registry's handlers write them (W3C's {@code traceparent}, say).
 *
 * <pre>
 *   the caller's span
 *     └ durable.start                     headers of the run
 *         ├ durable.turn                  WorkflowStarted
 *         │   └ durable.schedule          headers of the job
 *         │       ├ durable.activity      attempt 1
 *         │       └ durable.activity      attempt 2
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
    /** The header that says when the span began that the headers beside it name: they may be copied days later. */
    static final String TRACED = "durable.traced";

    private final ObservationRegistry registry;
    private final Duration oneTraceFor;
    private final InstantSource clock;
    private final BoundedMeters<String> names = new BoundedMeters<>(name -> name);
    private final AtomicBoolean told = new AtomicBoolean();

    private DurableTracing(ObservationRegistry registry, Duration oneTraceFor, InstantSource clock) {
        this.registry = registry;
        this.oneTraceFor = oneTraceFor;
        this.clock = clock;
    }

    /** Observations in this registry. */
    public static DurableTracing of(ObservationRegistry registry) {
        return new DurableTracing(registry, DEFAULT_ONE_TRACE_FOR, InstantSource.system());
    }

    /**
     * The same, where a turn that is made later than that after the start of its run, and an attempt that begins later than
     * that after it was scheduled, begins a new trace.
     *
     * @throws IllegalArgumentException where it is negative
     */
    public DurableTracing oneTraceFor(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException(
                    "oneTraceFor(" + time + "): a trace goes on for a time of 0 or more. 0 begins a"
                            + " trace with each turn and each attempt.");
        }
        return new DurableTracing(registry, time, clock);
    }

    /** The same by another clock. */
    DurableTracing by(InstantSource other) {
        return new DurableTracing(registry, oneTraceFor, other);
    }

    // ── clients ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public void start(StartCall call, Next next) {
        String operation =
                switch (call.kind()) {
                    case WORKFLOW -> "start";
                    case SIGNAL_WITH_START -> "signalWithStart";
                    case JOB -> "enqueue";
                    case BATCH -> "enqueueAll";
                };
        String type = names.of(call.type());
        String queue = call.taskQueue();
        Observation observation = observation(DurableObservation.START, () -> sender(call.headers()))
                .contextualName(operation + " " + type)
                .lowCardinalityKeyValues(messaging("send", operation, queue == null ? "none" : queue))
                .lowCardinalityKeyValue("durable.type", type)
                .highCardinalityKeyValue("durable.workflow.id", call.workflowId());
        run(
                observation,
                next,
                () -> call.runId()
                        .ifPresent(run -> observation.highCardinalityKeyValue("durable.run.id", run.toString())));
    }

    /** The handler's span is one of the turn that it is fed to: a signal carries no headers. */
    @Override
    public void signal(SignalCall call, Next next) {
        String type = call.type() == null ? "unknown" : names.of(call.type());
        String signal = names.of(call.name());
        Observation observation = observation(DurableObservation.SIGNAL, Observation.Context::new)
                .contextualName("signal " + signal)
                .lowCardinalityKeyValues(messaging("send", "signal", "none"))
                .lowCardinalityKeyValue("durable.workflow.type", type)
                .lowCardinalityKeyValue("durable.signal", signal)
                .highCardinalityKeyValue("durable.workflow.id", call.workflowId());
        run(observation, next, () -> {});
    }

    // ── workers ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public void turn(TurnCall call, Next next) {
        Observation observation = observation(DurableObservation.TURN, () -> receiver(call.headers(), call.startedAt()))
                .contextualName("turn " + names.of(call.type()))
                .lowCardinalityKeyValues(messaging("process", "turn", call.taskQueue()))
                .lowCardinalityKeyValue("durable.workflow.type", names.of(call.type()))
                .lowCardinalityKeyValue("durable.event", call.event())
                .highCardinalityKeyValue("durable.workflow.id", call.workflowId())
                .highCardinalityKeyValue("durable.run.id", call.runId().toString())
                .highCardinalityKeyValue("durable.event.id", Long.toString(call.eventId()));
        run(observation, next, () -> {});
    }

    @Override
    public void schedule(ScheduleCall call, Next next) {
        String activity = names.of(call.activity());
        Observation observation = observation(DurableObservation.SCHEDULE, () -> sender(call.headers()))
                .contextualName("schedule " + activity)
                .lowCardinalityKeyValues(messaging("create", "schedule", call.taskQueue()))
                .lowCardinalityKeyValue("durable.workflow.type", names.of(call.type()))
                .lowCardinalityKeyValue("durable.activity", activity)
                .highCardinalityKeyValue("durable.workflow.id", call.workflowId())
                .highCardinalityKeyValue("durable.run.id", call.runId().toString())
                .highCardinalityKeyValue("durable.activity.seq", Integer.toString(call.seq()));
        run(observation, next, () -> {});
    }

    @Override
    public void activity(ActivityCall call, Next next) {
        ActivityInfo info = call.info();
        String activity = names.of(info.activity());
        Observation observation = observation(
                        DurableObservation.ACTIVITY, () -> receiver(call.headers(), tracedSince(info)))
                .contextualName(activity)
                .lowCardinalityKeyValues(messaging("process", "activity", info.taskQueue()))
                .lowCardinalityKeyValue("durable.workflow.type", names.of(info.workflowType()))
                .lowCardinalityKeyValue("durable.activity", activity)
                .highCardinalityKeyValue("durable.workflow.id", info.workflowId())
                .highCardinalityKeyValue("durable.run.id", info.runId().toString())
                .highCardinalityKeyValue("durable.activity.seq", Integer.toString(info.seq()))
                .highCardinalityKeyValue("durable.attempt", Integer.toString(info.attempt()));
        run(observation, next, () -> {});
    }

    /** A background job has the headers of its start, which is older than its scheduling where it was delayed. */
    private static Instant tracedSince(ActivityInfo info) {
        Instant started = RunIds.time(info.runId());
        return info.workflowType().equals(JobStart.TYPE) && started.isBefore(info.scheduledAt())
                ? started
                : info.scheduledAt();
    }

    // ── observations ─────────────────────────────────────────────────────────────────────────────────────────────────

    private Observation observation(DurableObservation what, Supplier<Observation.Context> context) {
        return Observation.createNotStarted(what.observationName(), context, registry);
    }

    /** OpenTelemetry's names for messaging. */
    private KeyValues messaging(String type, String name, String destination) {
        return KeyValues.of(
                "messaging.system",
                "durable",
                "messaging.operation.type",
                type,
                "messaging.operation.name",
                name,
                "messaging.destination.name",
                names.of(destination));
    }

    private SenderContext<Map<String, String>> sender(Map<String, String> headers) {
        SenderContext<Map<String, String>> context = new SenderContext<>(this::write, Kind.PRODUCER);
        context.setCarrier(headers);
        return context;
    }

    private void write(@Nullable Map<String, String> headers, String key, String value) {
        if (headers != null) {
            headers.put(key, value);
            headers.put(TRACED, clock.instant().toString());
        }
    }

    /** A job that is enqueued again, or retried by an operator, has the headers of its first start, however long ago that was. */
    private static Instant traced(Map<String, String> headers, Instant since) {
        String written = headers.get(TRACED);
        if (written == null) {
            return since;
        }
        try {
            Instant traced = Instant.parse(written);
            return traced.isBefore(since) ? traced : since;
        } catch (DateTimeParseException e) {
            return since;
        }
    }

    /** @param since from when on a trace goes on, unless its span is older */
    private ReceiverContext<Map<String, String>> receiver(Map<String, String> headers, Instant since) {
        if (Duration.between(traced(headers, since), clock.instant()).compareTo(oneTraceFor) > 0) {
            LinkedContext linked = new LinkedContext(headers);
            String origin = headers.get(TRACEPARENT);
            if (origin != null) {
                linked.addHighCardinalityKeyValue(KeyValue.of("durable.origin", origin));
            }
            return linked;
        }
        ReceiverContext<Map<String, String>> context =
                new ReceiverContext<>((carrier, key) -> carrier.get(key), Kind.CONSUMER);
        context.setCarrier(headers);
        return context;
    }

    /**
     * What a handler throws (one of the application's, a tracer's) loses the span and not the call: that would be refused, or
     * told as failed when it is done.
     *
     * @param known tells what is only known when the call was made
     */
    private void run(Observation observation, Next next, Runnable known) {
        harmless(observation::start);
        Observation.Scope before = registry.getCurrentObservationScope();
        Observation.Scope scope = opened(observation, before);
        String outcome = "failed";
        try {
            next.proceed();
            outcome = "completed";
            harmless(known);
        } catch (Throwable e) {
            harmless(() -> observation.error(e));
            throw e;
        } finally {
            close(scope, before);
            String told = outcome;
            harmless(() -> observation.lowCardinalityKeyValue("durable.outcome", told));
            harmless(observation::stop);
        }
    }

    private Observation.Scope opened(Observation observation, Observation.@Nullable Scope before) {
        try {
            return observation.openScope();
        } catch (RuntimeException | Error e) {
            threw(e);
            registry.setCurrentObservationScope(before);
            return Observation.Scope.NOOP;
        }
    }

    private void close(Observation.Scope scope, Observation.@Nullable Scope before) {
        try {
            scope.close();
        } catch (RuntimeException | Error e) {
            threw(e);
            registry.setCurrentObservationScope(before);
        }
    }

    private void harmless(Runnable telling) {
        try {
            telling.run();
        } catch (RuntimeException | Error e) {
            threw(e);
        }
    }

    private void threw(Throwable thrown) {
        if (told.getAndSet(true)) {
            log.debug("an observation failed", thrown);
        } else {
            log.warn(
                    "an observation of the engine failed, and its span is not as it should be; the work goes on. Usual cause:"
                            + " a handler, filter or convention of the ObservationRegistry that throws. Later ones are logged at"
                            + " DEBUG.",
                    thrown);
        }
    }
}
