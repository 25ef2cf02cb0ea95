package dev.durable.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.EngineNames;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.intercept.InterceptedEngine;
import dev.durable.intercept.ScheduleCall;
import dev.durable.intercept.SentUpdate;
import dev.durable.intercept.SignalCall;
import dev.durable.intercept.TurnCall;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** The spans of runs, on time that the test moves. */
@DurableTest
class TracingTest {
    private final Spans spans = new Spans();

    @Activity(retry = @Retry(maxAttempts = 2, initialInterval = "1s", jitter = 0))
    interface Desk {
        String book(String what);

        @Activity(local = true)
        String look();
    }

    static final class RealDesk implements Desk {
        private final AtomicInteger failing = new AtomicInteger();

        @Override
        public String book(String what) {
            if (failing.getAndDecrement() > 0) {
                throw new IllegalStateException("full");
            }
            return String.valueOf(MDC.get("traceId"));
        }

        @Override
        public String look() {
            return String.valueOf(MDC.get("traceId"));
        }
    }

    @Workflow
    static class Trip {
        private static final org.slf4j.Logger log = Durable.logger(Trip.class);
        private final Desk desk;
        private boolean go;

        Trip(Desk desk) {
            this.desk = desk;
        }

        @Run
        List<String> run() {
            log.info("away");
            String booked = desk.book("train");
            Durable.await(() -> go);
            return List.of(booked, desk.look());
        }

        @Signal
        void go() {
            go = true;
        }
    }

    private final RealDesk desk = new RealDesk();

    private WorkflowHandle<Trip, List<String>> trip(TestEngine engine) {
        engine.register(Trip.class, desk)
                .intercept(DurableTracing.of(spans.registry()).by(engine::now));
        return Observation.createNotStarted("caller", spans.registry())
                .observe(() -> engine.client().start(Trip.class, "trip-1", Trip::run));
    }

    private List<String> tree() {
        return tree(spans.all());
    }

    /** Each span behind the names of those above it. */
    private static List<String> tree(List<SpanData> spans) {
        return spans.stream().map(span -> path(span, spans)).sorted().toList();
    }

    private static String path(SpanData span, List<SpanData> spans) {
        return spans.stream()
                        .filter(other -> other.getSpanId().equals(span.getParentSpanId()))
                        .findFirst()
                        .map(parent -> path(parent, spans) + " / ")
                        .orElse("")
                + span.getName();
    }

    private SpanData span(String name) {
        return spans.all().stream()
                .filter(span -> span.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void one_trace_goes_from_the_caller_through_start_turns_and_activities(TestEngine engine) {
        var run = trip(engine);
        engine.settle();
        run.signal(Trip::go);
        List<String> traces = run.result();

        assertThat(tree())
                .containsExactly(
                        "caller",
                        "caller / start Trip",
                        "caller / start Trip / turn Trip",
                        "caller / start Trip / turn Trip",
                        "caller / start Trip / turn Trip",
                        "caller / start Trip / turn Trip",
                        "caller / start Trip / turn Trip / schedule Desk.book",
                        "caller / start Trip / turn Trip / schedule Desk.book / Desk.book",
                        "caller / start Trip / turn Trip / schedule Desk.look",
                        "caller / start Trip / turn Trip / schedule Desk.look / Desk.look",
                        "signal go");
        String trace = span("caller").getTraceId();
        assertThat(traces).as("the trace id in the MDC of bodies").containsExactly(trace, trace);
        assertThat(span("signal go").getTraceId()).as("of another caller").isNotEqualTo(trace);
    }

    @Test
    void spans_have_the_names_of_messaging_and_what_names_a_run_is_an_attribute_of_spans_only(TestEngine engine) {
        var run = trip(engine);
        engine.settle();

        SpanData activity = span("Desk.book");
        assertThat(activity.getKind()).isEqualTo(SpanKind.CONSUMER);
        assertThat(attributes(activity))
                .isEqualTo(Map.ofEntries(
                        Map.entry("durable.activity", "Desk.book"),
                        Map.entry("durable.activity.seq", "1"),
                        Map.entry("durable.attempt", "1"),
                        Map.entry("durable.outcome", "completed"),
                        Map.entry("durable.run.id", String.valueOf(run.runId())),
                        Map.entry("durable.workflow.id", "trip-1"),
                        Map.entry("durable.workflow.type", "Trip"),
                        Map.entry("error.type", "none"),
                        Map.entry("messaging.destination.name", "default"),
                        Map.entry("messaging.operation.name", "activity"),
                        Map.entry("messaging.operation.type", "process"),
                        Map.entry("messaging.system", "durable")));
        assertThat(span("start Trip").getKind()).isEqualTo(SpanKind.PRODUCER);
        assertThat(attributes(span("start Trip")))
                .containsEntry("durable.run.id", String.valueOf(run.runId()))
                .containsEntry("messaging.operation.type", "send");
        assertThat(attributes(span("turn Trip"))).containsEntry("durable.event", "WorkflowStarted");
    }

    @Test
    void filters_and_handlers_of_the_application_read_add_replace_and_remove_attributes(TestEngine engine) {
        List<String> read = new CopyOnWriteArrayList<>();
        spans.registry().observationConfig().observationFilter(context -> {
            if (context.getName().equals("durable.activity")) {
                read.add(String.valueOf(context.getLowCardinalityKeyValue("durable.activity")));
                read.add(String.valueOf(context.getHighCardinalityKeyValue("durable.attempt")));
                read.add(String.valueOf(context.getHighCardinalityKeyValue("none")));
                read.add(
                        String.valueOf(context).contains("durable.workflow.id='trip-1'") ? "in its text" : "not in it");
                context.removeHighCardinalityKeyValues("durable.run.id", "durable.activity.seq");
                context.removeLowCardinalityKeyValue("messaging.system");
                context.addLowCardinalityKeyValue(KeyValue.of("durable.workflow.type", "another"));
                context.addHighCardinalityKeyValue(KeyValue.of("tenant", "t-1"));
            }
            return context;
        });
        trip(engine);
        engine.settle();

        assertThat(attributes(span("Desk.book")))
                .containsEntry("durable.workflow.type", "another")
                .containsEntry("tenant", "t-1")
                .containsEntry("durable.outcome", "completed")
                .containsEntry("durable.workflow.id", "trip-1")
                .doesNotContainKeys("durable.run.id", "durable.activity.seq", "messaging.system");
        assertThat(read)
                .containsExactly(
                        "keyValue(durable.activity=Desk.book)", "keyValue(durable.attempt=1)", "null", "in its text");
    }

    @Test
    void the_sending_of_an_update_is_a_span_with_its_name_and_id() {
        DurableTracing.of(spans.registry())
                .update(new SentUpdate("trip-1", new UUID(0, 1), "Trip", "move", "u-1"), () -> {});

        assertThat(attributes(span("update move")))
                .containsEntry("durable.workflow.id", "trip-1")
                .containsEntry("durable.workflow.type", "Trip")
                .containsEntry("durable.update", "move")
                .containsEntry("durable.update.id", "u-1")
                .containsEntry("messaging.operation.type", "send");
    }

    @Test
    void an_attribute_that_is_removed_from_those_of_few_values_stays_among_those_of_many() {
        spans.registry().observationConfig().observationFilter(context -> {
            context.removeLowCardinalityKeyValue("durable.workflow.id");
            context.removeHighCardinalityKeyValue("durable.signal");
            return context;
        });

        DurableTracing.of(spans.registry()).signal(new SignalCall("trip-1", null, "Trip", "go"), () -> {});

        assertThat(attributes(span("signal go")))
                .containsEntry("durable.workflow.id", "trip-1")
                .containsEntry("durable.signal", "go");
    }

    @Test
    void a_convention_of_the_application_reads_attributes_and_its_own_win(TestEngine engine) {
        List<String> read = new CopyOnWriteArrayList<>();
        spans.registry().observationConfig().observationConvention(new GlobalObservationConvention<>() {
            @Override
            public boolean supportsContext(Observation.Context context) {
                return context instanceof ReceiverContext
                        && context.getLowCardinalityKeyValue("durable.activity") != null;
            }

            @Override
            public KeyValues getLowCardinalityKeyValues(Observation.Context context) {
                read.add(String.valueOf(context.getHighCardinalityKeyValue("durable.attempt")));
                return KeyValues.of("durable.workflow.type", "another", "team", "travel");
            }

            @Override
            public String getName() {
                return "renamed";
            }

            @Override
            public String getContextualName(Observation.Context context) {
                return "told by " + context.getName();
            }
        });
        trip(engine);
        engine.settle();

        assertThat(attributes(span("told by renamed")))
                .containsEntry("durable.workflow.type", "another")
                .containsEntry("team", "travel")
                .containsEntry("durable.outcome", "completed")
                .containsEntry("durable.activity", "Desk.book");
        assertThat(read).containsOnly("keyValue(durable.attempt=1)");
    }

    @Test
    void timers_of_a_name_have_the_same_tags_whatever_came_of_it(TestEngine engine) {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        spans.registry().observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        desk.failing.set(1);
        var run = trip(engine);
        engine.advance(Duration.ofSeconds(2));
        run.signal(Trip::go);
        run.result();
        DurableTracing broken = DurableTracing.of(spans.registry());
        assertThatThrownBy(() -> broken.signal(new SignalCall("none", null, null, ""), () -> {
                    throw new IllegalStateException("gone");
                }))
                .hasMessage("gone");

        Map<String, List<List<String>>> keys = meters.getMeters().stream()
                .filter(meter -> meter.getId().getName().startsWith("durable."))
                .collect(Collectors.groupingBy(
                        meter -> meter.getId().getName(),
                        TreeMap::new,
                        Collectors.mapping(
                                meter -> meter.getId().getTags().stream()
                                        .map(Tag::getKey)
                                        .toList(),
                                Collectors.toList())));
        assertThat(keys).containsKeys("durable.start", "durable.signal", "durable.turn", "durable.activity.active");
        assertThat(keys.values())
                .allSatisfy(same -> assertThat(same.stream().distinct()).hasSize(1));
        assertThat(meters.getMeters())
                .allSatisfy(meter -> assertThat(meter.getId().getTags())
                        .noneMatch(tag -> tag.getValue().isEmpty()));
        assertThat(meters.get("durable.activity").timers())
                .extracting(timer -> timer.getId().getTag("durable.outcome") + " "
                        + timer.getId().getTag("error.type"))
                .contains("failed java.lang.IllegalStateException", "completed none");
    }

    @Test
    void names_that_callers_make_up_are_bounded() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        DurableTracing tracing = DurableTracing.of(registry);
        for (int i = 0; i < 5_000; i++) {
            tracing.signal(new SignalCall("trip-1", null, "type-" + i, "signal-" + i), () -> {});
        }

        assertThat(meters.get("durable.signal").timers()).hasSizeLessThanOrEqualTo(BoundedMeters.MOST + 1);
        assertThat(meters.get("durable.signal")
                        .tag("durable.signal", BoundedMeters.OTHER)
                        .timers())
                .isNotEmpty();
    }

    @Test
    void names_that_callers_make_up_take_no_place_from_what_the_engine_registers_and_serves() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        DurableTracing tracing = DurableTracing.of(registry)
                .in(new InterceptedEngine(
                        new EngineNames(
                                "acme",
                                Set.of("Trip"),
                                Set.of("Desk.book"),
                                Set.of("go"),
                                Set.of("move"),
                                Set.of("default")),
                        UnaryOperator.identity()));
        for (int i = 0; i < 1_000; i++) {
            tracing.signal(new SignalCall("trip-1", null, "type-" + i, "signal-" + i), () -> {});
            tracing.schedule(
                    new ScheduleCall(
                            "trip-1", new UUID(0, 1), "Trip", "act-" + i, 1, "queue-" + i, false, new HashMap<>()),
                    () -> {});
        }
        tracing.signal(new SignalCall("trip-1", null, "Trip", "go"), () -> {});
        tracing.schedule(
                new ScheduleCall("trip-1", new UUID(0, 1), "Trip", "Desk.book", 1, "default", false, new HashMap<>()),
                () -> {});

        assertThat(meters.find("durable.signal")
                        .tags("durable.workflow.type", "Trip", "durable.signal", "go")
                        .timers())
                .hasSize(1);
        assertThat(meters.find("durable.schedule")
                        .tags("durable.activity", "Desk.book", "messaging.destination.name", "default")
                        .timers())
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\nERROR forged",
                "password=hunter2",
                "",
            })
    void a_header_that_names_no_span_is_no_origin(String traceparent) {
        turn(Map.of("traceparent", traceparent), Instant.now().minus(Duration.ofDays(1)));

        assertThat(attributes(span("turn Trip"))).doesNotContainKey("durable.origin");
    }

    @ParameterizedTest
    @ValueSource(strings = {"9223372036854775807", "-9223372036854775808", "-1", "x", "99999999999999999999"})
    void a_header_that_says_an_impossible_time_of_a_span_ends_no_turn(String traced) {
        turn(Map.of("durable.traced", traced), Instant.now());

        assertThat(attributes(span("turn Trip"))).containsEntry("durable.outcome", "completed");
    }

    private void turn(Map<String, String> headers, Instant startedAt) {
        DurableTracing.of(spans.registry())
                .turn(
                        new TurnCall(
                                "trip-1",
                                new UUID(0, 1),
                                "Trip",
                                "queue",
                                "WorkflowStarted",
                                1,
                                null,
                                null,
                                false,
                                startedAt,
                                headers),
                        () -> {});
    }

    @Test
    void a_header_of_the_earliest_time_there_is_begins_a_trace_of_its_own_and_one_of_the_latest_none() {
        String parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        turn(Map.of("traceparent", parent, "durable.traced", String.valueOf(Long.MIN_VALUE)), Instant.now());
        turn(Map.of("traceparent", parent, "durable.traced", String.valueOf(Long.MAX_VALUE)), Instant.now());

        assertThat(spans.all())
                .extracting(turn -> attributes(turn).get("durable.origin"))
                .containsExactly(parent, null);
    }

    @Test
    void events_take_no_names_away_from_types() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        DurableTracing tracing = DurableTracing.of(registry);
        for (int i = 1; i < BoundedMeters.MOST; i++) {
            TurnCall turn = new TurnCall(
                    "trip-1",
                    new UUID(0, 1),
                    "type-" + i,
                    "queue",
                    "event-" + i % 20,
                    1,
                    null,
                    null,
                    false,
                    Instant.now(),
                    Map.of());
            tracing.turn(turn, () -> {});
        }

        assertThat(meters.find("durable.turn")
                        .tag("durable.workflow.type", BoundedMeters.OTHER)
                        .timers())
                .isEmpty();
    }

    @Test
    void a_trace_for_ever_is_no_error(TestEngine engine) {
        DurableTracing tracing = DurableTracing.of(spans.registry()).oneTraceFor(ChronoUnit.FOREVER.getDuration());
        engine.register(Trip.class, desk).intercept(tracing.by(engine::now));
        var run = engine.client().start(Trip.class, "trip-1", Trip::run);
        engine.advance(Duration.ofDays(3_000));
        run.signal(Trip::go);
        run.result();

        assertThat(tree()).contains("start Trip / turn Trip / schedule Desk.look / Desk.look");
    }

    @Test
    void a_trace_for_no_time_is_one_for_each_turn_and_each_attempt(TestEngine engine) {
        DurableTracing tracing = DurableTracing.of(spans.registry()).oneTraceFor(Duration.ZERO);
        engine.register(Trip.class, desk).intercept(tracing.by(engine::now));
        engine.client().start(Trip.class, "trip-1", Trip::run);
        engine.settle();

        assertThat(tree())
                .as("in the same millisecond as the start")
                .containsExactly("Desk.book", "start Trip", "turn Trip", "turn Trip", "turn Trip / schedule Desk.book");
    }

    @Test
    void a_signal_is_the_span_of_a_producer_though_it_carries_no_headers() {
        DurableTracing.of(spans.registry()).signal(new SignalCall("trip-1", null, "Trip", "go"), () -> {});

        assertThat(span("signal go").getKind()).isEqualTo(SpanKind.PRODUCER);
    }

    private static Map<String, String> attributes(SpanData span) {
        TreeMap<String, String> found = new TreeMap<>();
        for (AttributeKey<?> key : span.getAttributes().asMap().keySet()) {
            found.put(key.getKey(), String.valueOf(span.getAttributes().get(key)));
        }
        return found;
    }

    @Test
    void each_attempt_is_a_span_below_the_scheduling_and_a_failed_one_says_so(TestEngine engine) {
        desk.failing.set(1);
        trip(engine);
        engine.advance(Duration.ofSeconds(2));

        List<SpanData> attempts = spans.all().stream()
                .filter(span -> span.getName().equals("Desk.book"))
                .toList();
        assertThat(attempts)
                .extracting(SpanData::getParentSpanId)
                .containsOnly(span("schedule Desk.book").getSpanId());
        assertThat(attempts)
                .extracting(span -> attributes(span).get("durable.attempt") + " "
                        + attributes(span).get("durable.outcome") + " "
                        + span.getStatus().getStatusCode())
                .containsExactly("1 failed " + StatusCode.ERROR, "2 completed " + StatusCode.UNSET);
    }

    @Test
    void a_turn_long_after_the_start_begins_a_trace_that_is_linked_to_the_start(TestEngine engine) {
        var run = trip(engine);
        engine.advance(Duration.ofHours(2));
        int before = spans.all().size();
        run.signal(Trip::go);
        run.result();

        List<SpanData> later = spans.all().subList(before, spans.all().size());
        assertThat(tree(later))
                .containsExactly(
                        "signal go",
                        "turn Trip",
                        "turn Trip",
                        "turn Trip / schedule Desk.look",
                        "turn Trip / schedule Desk.look / Desk.look");
        SpanData start = span("start Trip");
        for (SpanData turn : later) {
            if (turn.getName().equals("turn Trip")) {
                assertThat(turn.getTraceId()).isNotEqualTo(start.getTraceId());
                assertThat(turn.getLinks()).hasSize(1);
                assertThat(turn.getLinks().getFirst().getSpanContext().getSpanId())
                        .isEqualTo(start.getSpanId());
                assertThat(turn.getLinks().getFirst().getSpanContext().getTraceId())
                        .isEqualTo(start.getTraceId());
                assertThat(attributes(turn).get("durable.origin")).contains(start.getTraceId());
            }
        }
    }

    @Test
    void lines_of_workflow_code_have_the_trace_id_of_their_turn(TestEngine engine) {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        var logger = ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger(Trip.class);
        logger.setLevel(Level.INFO);
        lines.start();
        logger.addAppender(lines);
        try {
            trip(engine);
            engine.settle();
        } finally {
            logger.detachAppender(lines);
        }

        assertThat(lines.list).hasSize(1);
        assertThat(lines.list.getFirst().getMDCPropertyMap())
                .containsEntry("traceId", span("caller").getTraceId())
                .containsEntry("spanId", span("turn Trip").getSpanId())
                .containsEntry("workflowId", "trip-1");
    }

    @Test
    void background_jobs_and_batches_are_traced_too(TestEngine engine) {
        engine.register(Trip.class, desk)
                .intercept(DurableTracing.of(spans.registry()).by(engine::now));
        engine.client().enqueue(Desk.class, StartOptions.id("job-1"), d -> d.book("x"));
        engine.client().enqueueAll(Desk.class, StartOptions.id("batch-1"), List.of("a", "b"), Desk::book);
        engine.settle();

        assertThat(tree())
                .containsExactly(
                        "enqueue Desk.book",
                        "enqueue Desk.book / Desk.book",
                        "enqueueAll Desk",
                        "enqueueAll Desk / Desk.book",
                        "enqueueAll Desk / Desk.book");
    }

    @Test
    void a_job_that_was_delayed_for_days_begins_a_trace_that_is_linked_to_its_start(TestEngine engine) {
        engine.register(Trip.class, desk)
                .intercept(DurableTracing.of(spans.registry()).by(engine::now));
        engine.client().enqueue(Desk.class, StartOptions.id("job-1").startDelay(Duration.ofDays(3)), d -> d.book("x"));
        engine.advance(Duration.ofDays(4));

        assertThat(tree()).containsExactly("Desk.book", "enqueue Desk.book");
        assertThat(span("Desk.book").getLinks())
                .extracting(link -> link.getSpanContext().getSpanId())
                .containsExactly(span("enqueue Desk.book").getSpanId());
    }

    @Test
    void what_is_done_again_days_later_begins_a_trace_that_is_linked_to_its_start(TestEngine engine) {
        engine.register(Trip.class, desk)
                .intercept(DurableTracing.of(spans.registry()).by(engine::now));
        desk.failing.set(2);
        engine.client().enqueue(Desk.class, StartOptions.id("dead"), d -> d.book("x"));
        engine.client()
                .enqueue(Desk.class, StartOptions.id("cancelled").startDelay(Duration.ofDays(1)), d -> d.book("x"))
                .cancel("not yet");
        engine.advance(Duration.ofDays(3));
        int before = spans.all().size();

        engine.client().deadLetters().one("dead", 1).retry();
        engine.client().enqueueAgain("cancelled");
        engine.advance(Duration.ofDays(2));

        List<SpanData> later = spans.all().subList(before, spans.all().size());
        assertThat(tree(later)).containsExactly("Desk.book", "Desk.book");
        List<String> starts = spans.all().stream()
                .filter(span -> span.getName().equals("enqueue Desk.book"))
                .map(SpanData::getSpanId)
                .toList();
        assertThat(later)
                .flatExtracting(SpanData::getLinks)
                .extracting(link -> link.getSpanContext().getSpanId())
                .containsExactlyInAnyOrderElementsOf(starts);
    }

    @Test
    void an_engine_is_traced_that_has_the_interceptor() {
        InMemoryHistoryStore store = new InMemoryHistoryStore();
        ObservationRegistry observations = spans.registry();
        // docs: traces
        try (DurableEngine engine = DurableEngine.builder(store)
                .register(Trip.class, new RealDesk())
                .intercept(DurableTracing.of(observations).oneTraceFor(Duration.ofHours(1)))
                .start()) {
            // docs: end
            var run = engine.client().start(Trip.class, "trip-1", Trip::run);
            run.signal(Trip::go);
            run.result();
        }
        assertThat(tree()).contains("start Trip / turn Trip / schedule Desk.book / Desk.book");
    }

    @Test
    void a_registry_without_handlers_leaves_headers_alone(TestEngine engine) {
        engine.register(Trip.class, desk).intercept(DurableTracing.of(ObservationRegistry.create()));
        var run = engine.client().start(Trip.class, "trip-1", Trip::run);

        assertThat(run.history().started().headers()).isEmpty();
        assertThatThrownBy(() -> DurableTracing.of(spans.registry()).oneTraceFor(Duration.ofSeconds(-1)))
                .hasMessage(
                        "oneTraceFor(PT-1S): a trace goes on for a time of 0 or more. 0 begins a trace with each turn and"
                                + " each attempt.");
    }

    /** A handler of the application's, or of a tracer. */
    private static ObservationRegistry failing(String when) {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStart(Observation.Context context) {
                fail("start");
            }

            @Override
            public void onScopeOpened(Observation.Context context) {
                fail("scope");
            }

            @Override
            public void onError(Observation.Context context) {
                fail("error");
            }

            @Override
            public void onScopeClosed(Observation.Context context) {
                fail("end of scope");
            }

            @Override
            public void onStop(Observation.Context context) {
                fail("stop");
            }

            private void fail(String now) {
                if (now.equals(when)) {
                    throw new IllegalStateException("no " + when);
                }
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        return registry;
    }

    @ParameterizedTest
    @ValueSource(strings = {"start", "scope", "error", "end of scope", "stop"})
    void what_a_handler_throws_loses_a_span_and_no_work(String when, TestEngine engine) {
        desk.failing.set(1);
        ObservationRegistry registry = failing(when);
        engine.register(Trip.class, desk).intercept(DurableTracing.of(registry).by(engine::now));

        var run = engine.client().start(Trip.class, "trip-1", Trip::run);
        run.signal(Trip::go);

        assertThat(run.result()).hasSize(2);
        assertThat(desk.failing).as("one failed, one did not").hasValue(-1);
        assertThat(registry.getCurrentObservation()).isNull();
    }
}
