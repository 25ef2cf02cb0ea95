package dev.durable.samples.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.OnExhausted;
import dev.durable.client.ActivityHandle;
import dev.durable.client.ActivitySummary;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.Incident;
import dev.durable.client.IncidentGroup;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.IncidentResolved;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The work of an operator on a bad day. */
@DurableTest
class IncidentDeskTest {
    private static final Map<String, String> INCIDENTS = Map.of(
            "durable.activities.Payments.retry.max-attempts", "2",
            "durable.activities.Payments.retry.on-exhausted", "INCIDENT",
            "durable.activities.Payments.methods.refund.retry.on-exhausted", "DEAD_LETTER");

    private final UUID otherPayment = new UUID(4, 2);
    private final BigDecimal amount = new BigDecimal("64.50");
    private volatile boolean away = true;

    private final class AwayPayments implements Payments {
        @Override
        public String charge(UUID payment, BigDecimal charged) {
            if (away) {
                throw new IllegalStateException("503 from the bank");
            }
            return "AUTH " + payment + " " + charged;
        }

        @Override
        public void refund(UUID payment) {
            charge(payment, BigDecimal.ONE);
        }
    }

    @Test
    void incidentsAreSeenInGroupsAndResolved(TestEngine engine) {
        engine.register(OrderWorkflow.class)
                .activity(Payments.class, new AwayPayments())
                .configuration(INCIDENTS);
        DurableClient client = engine.client();
        for (int i = 40; i < 46; i++) {
            Order order = new Order("" + i, amount);
            client.start(OrderWorkflow.class, "order-" + i, w -> w.run(order));
        }
        client.enqueue(Payments.class, StartOptions.id("refund-1"), p -> p.refund(otherPayment));
        engine.advance(Duration.ofMinutes(5));
        Instant deployed = engine.now();
        away = false;
        List<String> screen = new ArrayList<>();

        // docs: incidents
        for (IncidentGroup group : client.incidents().groups(20)) { // what failed alike, the latest first
            screen.add(group.count() + " x " + group.fingerprint() + " since " + group.firstSeen() + ", last "
                    + group.lastSeen() + ": " + group.lastFailure());
        }
        Incident incident = client.incidents().one("order-42", 1).describe();
        screen.add(incident.since() + ": " + incident.arguments()); // what the next attempt would run with, as JSON
        ActivitySummary last = incident.activity(); // and options(), crashes(), heartbeatDetails(), …
        screen.add(last.lastFailure() + ", next attempt " + last.attempt());

        var desk = client.incidents().by("ann").because("the bank is back");
        desk.one(incident).retryWith(otherPayment, amount); // or retry(), retry(3), complete(…), fail(…), discard()
        long resolved =
                desk.where(i -> i.activity("Payments.charge").before(deployed)).retry();

        client.deadLetters().where(d -> d.workflowId("refund-1")).by("ann").fail("refunded by hand");
        // docs: end

        assertThat(screen).hasSize(3);
        assertThat(screen.get(0)).startsWith("6 x Payments.charge: java.lang.IllegalStateException");
        assertThat(screen.get(1)).contains("64.50");
        assertThat(screen.get(2)).isEqualTo("java.lang.IllegalStateException: 503 from the bank, next attempt 3");
        assertThat(resolved).isEqualTo(5);
        engine.settle();
        var order = client.handle(OrderWorkflow.class, "order-42");
        order.signal(w -> w.approve("ann"));
        assertThat(order.resultAs(String.class)).isEqualTo("AUTH " + otherPayment + " 64.50");
        assertThat(client.history("refund-1").events(IncidentResolved.class))
                .singleElement()
                .satisfies(e -> assertThat(e.reason()).isEqualTo("refunded by hand"));
    }

    @Test
    void whatHasFailedIsEnqueuedAgain(TestEngine engine) {
        engine.activity(Payments.class, new AwayPayments())
                .configuration(Map.of("durable.activities.Payments.retry.max-attempts", "1"))
                .jobsOnExhausted(OnExhausted.FAIL);
        DurableClient client = engine.client();
        Instant monday = engine.now().minus(Duration.ofHours(1));
        ActivityHandle job = client.enqueue(Payments.class, StartOptions.id("refund-1"), p -> p.refund(otherPayment));
        for (int i = 2; i < 5; i++) {
            client.enqueue(Payments.class, StartOptions.id("refund-" + i), p -> p.refund(otherPayment));
        }
        engine.advance(Duration.ofMinutes(5));
        away = false;

        // docs: again
        ActivityHandle again = job.enqueueAgain(); // or client.enqueueAgain("refund-1"), which gives the new run
        long all = client.enqueueAgain(w -> w.workflowIdPrefix("refund-").closedAfter(monday));
        // docs: end

        again.await();
        engine.settle();
        assertThat(all).isEqualTo(3);
        assertThat(client.workflows()
                        .where(w -> w.status(WorkflowStatus.COMPLETED))
                        .count())
                .isEqualTo(4);
    }

    @Test
    void whoIsToLookIsTold() throws Exception {
        BlockingQueue<String> pager = new LinkedBlockingQueue<>();
        // docs: alerts
        try (DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
                .register(OrderWorkflow.class, new AwayPayments())
                .configuration(INCIDENTS) // durable.activities.Payments.retry.on-exhausted = INCIDENT, …
                .onAlert(alert -> pager.add(alert.count() + " x " + alert.fingerprint()))
                .keepDeadLetters(Duration.ofDays(30), 1_000)
                .start()) {
            // docs: end
            engine.client().start(OrderWorkflow.class, "order-42", w -> w.run(new Order("42", amount)));
            assertThat(pager.poll(60, TimeUnit.SECONDS)).startsWith("1 x Payments.charge: ");
            // docs: alerts
        }
        // docs: end
    }
}
