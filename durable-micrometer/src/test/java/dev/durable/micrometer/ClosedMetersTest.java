package dev.durable.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.client.DurableEngine;
import dev.durable.client.QueueDescription;
import dev.durable.observe.QueueSample;
import dev.durable.store.memory.InMemoryHistoryStore;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The meters of an engine that has closed, as its registry has them. */
class ClosedMetersTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Activity
    interface Nothing {
        void done();
    }

    /** The chore may be at work while the engine closes, which can take as long as its bodies do. */
    @Test
    void what_a_closing_engine_still_reads_of_the_queues_is_shown_by_nobody() {
        DurableMetrics metrics = DurableMetrics.of(registry);
        try (DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
                .observe(metrics)
                .start()) {
            assertThat(engine.healthy()).isTrue();
        }

        metrics.queuesSampled(new QueueSample(Instant.EPOCH, List.<QueueDescription>of(), 7, 0, 0, null, 0));

        assertThat(registry.find("durable.dead.letters").gauge()).isNull();
    }

    @Test
    void a_registry_that_refuses_a_gauge_keeps_none_of_the_engine_and_another_engine_may_have_them() {
        AtomicBoolean refusing = new AtomicBoolean(true);
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                if (refusing.get() && id.getName().equals("durable.slots.max")) {
                    throw new IllegalStateException("no such gauge");
                }
                return id;
            }
        });
        DurableMetrics metrics = DurableMetrics.of(registry);
        try (DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
                .observe(metrics)
                .start()) {
            assertThat(engine.healthy()).isTrue();
            assertThat(registry.find("durable.worker.healthy").gauge()).isNull();
        }

        refusing.set(false);
        try (DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
                .observe(metrics)
                .start()) {
            assertThat(engine.healthy()).isTrue();
            assertThat(registry.find("durable.worker.healthy").gauge()).isNotNull();
        }
    }

    /** An application's own bean of meters, which the application gives to the engine beside the starter. */
    @Test
    void an_engine_that_has_these_meters_already_is_not_measured_twice() {
        DurableMetrics metrics = DurableMetrics.of(registry);
        try (DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
                .activity(Nothing.class, () -> {})
                .observe(metrics)
                .observe(metrics.ofFirstEngine())
                .start()) {
            assertThat(engine.healthy()).isTrue();
            engine.client().enqueue(Nothing.class, Nothing::done);

            assertThat(registry.get("durable.workflow.starts").counters().stream()
                            .mapToDouble(Counter::count)
                            .sum())
                    .isEqualTo(1);
        }
    }

    @Test
    void a_second_sample_takes_the_place_of_the_first() {
        DurableMetrics metrics = DurableMetrics.of(registry);
        // A worker would take samples of its own meanwhile.
        try (DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
                .clientOnly()
                .observe(metrics)
                .start()) {
            for (int dead = 1; dead < 4; dead++) {
                metrics.queuesSampled(new QueueSample(Instant.EPOCH, List.of(), dead, 0, 0, null, 0));
                assertThat(registry.get("durable.dead.letters").gauge().value()).isEqualTo(dead);
            }
        }
    }
}
