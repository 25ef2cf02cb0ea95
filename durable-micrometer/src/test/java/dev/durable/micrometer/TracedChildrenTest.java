package dev.durable.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import io.micrometer.observation.Observation;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The spans of children: each start is one, below the turn that makes it. */
@DurableTest
class TracedChildrenTest {
    private final Spans spans = new Spans();

    @Workflow
    static class Tour {
        @Run
        String run(Duration delay) {
            return Durable.startChild(Leg.class, ChildOptions.id("leg-1").startDelay(delay), Leg::run)
                    .result();
        }
    }

    @Workflow
    static class Leg {
        @Run
        String run() {
            return "there";
        }
    }

    private void tour(TestEngine engine, Duration delay) {
        engine.register(Tour.class, Leg.class)
                .intercept(DurableTracing.of(spans.registry()).by(engine::now));
        Observation.createNotStarted("caller", spans.registry())
                .observe(() -> engine.client().start(Tour.class, "tour-1", w -> w.run(delay)))
                .result();
    }

    private SpanData span(String name) {
        return spans.all().stream()
                .filter(span -> span.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** The start of the child whose headers the child has: a first turn that starts children is made twice. */
    private SpanData above(SpanData turn) {
        String id = turn.getLinks().isEmpty()
                ? turn.getParentSpanId()
                : turn.getLinks().getFirst().getSpanContext().getSpanId();
        return spans.all().stream()
                .filter(span -> span.getSpanId().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static String attribute(SpanData span, String name) {
        return span.getAttributes().get(AttributeKey.stringKey(name));
    }

    @Test
    void the_turns_of_a_child_are_below_its_start_which_is_below_the_turn_of_its_parent(TestEngine engine) {
        tour(engine, Duration.ZERO);

        SpanData start = above(span("turn Leg"));
        assertThat(start.getName()).isEqualTo("startChild Leg");
        assertThat(above(start).getName()).isEqualTo("turn Tour");
        assertThat(span("turn Leg").getTraceId()).isEqualTo(span("caller").getTraceId());
        assertThat(start.getKind()).isEqualTo(SpanKind.PRODUCER);
        assertThat(attribute(start, "durable.workflow.type")).isEqualTo("Tour");
        assertThat(attribute(start, "durable.workflow.id")).isEqualTo("tour-1");
        assertThat(attribute(start, "durable.child.type")).isEqualTo("Leg");
        assertThat(attribute(start, "durable.child.workflow.id")).isEqualTo("leg-1");
        assertThat(attribute(start, "durable.child.run.id"))
                .isEqualTo(String.valueOf(
                        engine.client().handle("leg-1").describe().summary().runId()));
        assertThat(attribute(start, "messaging.operation.type")).isEqualTo("create");
        assertThat(attribute(start, "messaging.operation.name")).isEqualTo("startChild");
    }

    @Test
    void a_child_that_begins_hours_after_its_start_begins_a_trace_of_its_own(TestEngine engine) {
        tour(engine, Duration.ofHours(3));

        SpanData turn = span("turn Leg");
        assertThat(turn.getLinks()).hasSize(1);
        assertThat(turn.getTraceId()).isNotEqualTo(span("caller").getTraceId());
        assertThat(above(turn).getName()).isEqualTo("startChild Leg");
        assertThat(above(turn).getTraceId()).isEqualTo(span("caller").getTraceId());
    }
}
