package dev.durable.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.testing.TestDatabase;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

/** The lines that a user writes. */
class FirstMeterTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Activity
    public static class Payments {
        public String charge(int amount) {
            return "paid " + amount;
        }
    }

    @Workflow
    public static class Order {
        private final Payments payments;

        public Order(Payments payments) {
            this.payments = payments;
        }

        @Run
        public String run(int amount) {
            return payments.charge(amount);
        }
    }

    @Test
    void a_workflow_is_counted_from_its_start_to_its_end_and_gauges_go_with_their_engine() {
        try (TestDatabase database = TestDatabase.migrated();
                var store = PostgresHistoryStore.of(database.pooledDataSource(5))) {
            // docs: metrics
            try (DurableEngine engine = DurableEngine.builder(store)
                    .register(Order.class, new Payments())
                    .observe(DurableMetrics.of(registry))
                    .start()) {
                // docs: end
                assertThat(engine.client()
                                .start(Order.class, "o-1", o -> o.run(42))
                                .result())
                        .isEqualTo("paid 42");

                assertThat(registry.get("durable.worker.healthy").gauge().value())
                        .isEqualTo(1);
            }
            assertThat(registry.get("durable.workflow.starts")
                            .tags("workflow", "Order", "how", "eager", "outcome", "started")
                            .counter()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.get("durable.activity.attempts")
                            .tags("activity", "Payments.charge", "queue", "default", "outcome", "completed")
                            .timer()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.get("durable.workflow.duration")
                            .tags("workflow", "Order", "status", "completed")
                            .timer()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.find("durable.worker.healthy").gauge()).isNull();
        }
    }

    @Test
    void another_engine_is_not_measured_by_the_meters_of_the_first_and_these_stay() {
        DurableMetrics metrics = DurableMetrics.of(registry);
        try (DurableEngine first = engine(metrics)) {
            try (DurableEngine second = engine(metrics)) {
                assertThat(second.client()
                                .start(Order.class, "o-1", o -> o.run(1))
                                .result())
                        .isEqualTo("paid 1");
                assertThat(registry.find("durable.workflow.starts").counters()).isEmpty();
            }
            assertThat(first.healthy()).isTrue();
            assertThat(registry.get("durable.worker.healthy").gauge().value()).isEqualTo(1);
        }
        try (DurableEngine third = engine(metrics)) {
            assertThat(registry.get("durable.worker.healthy").gauge().value()).isEqualTo(1);
        }
    }

    @Test
    void a_client_only_is_not_counted_among_the_healthy_workers() {
        try (DurableEngine client = DurableEngine.builder(new InMemoryHistoryStore())
                .register(Order.class)
                .clientOnly()
                .observe(DurableMetrics.of(registry))
                .start()) {
            assertThat(client.healthy()).isTrue();
            assertThat(registry.find("durable.worker.healthy").gauge()).isNull();
        }
    }

    private static DurableEngine engine(DurableMetrics metrics) {
        return DurableEngine.builder(new InMemoryHistoryStore())
                .register(Order.class, new Payments())
                .observe(metrics)
                .start();
    }
}
