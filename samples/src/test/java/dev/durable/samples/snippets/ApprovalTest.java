package dev.durable.samples.snippets;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.testing.DurableTest;
import dev.durable.testing.Replayer;
import dev.durable.testing.TestEngine;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// docs: workflow-test
@DurableTest // in memory, on virtual time; no Docker
class ApprovalTest {
    private final Order order = new Order("42", new BigDecimal("64.50"));

    @Test
    void anOrderThatNobodyApprovesIsRefunded(TestEngine engine) {
        engine.register(OrderWorkflow.class).activity(Payments.class, new StripePayments());
        var run = engine.client().start(OrderWorkflow.class, "order-42", w -> w.run(order));

        engine.advance(Duration.ofDays(3));

        assertThatThrownBy(run::result).hasRootCauseInstanceOf(ApprovalTimedOut.class);
        assertThat(run.history()).completedActivities("Payments.charge", "Payments.refund");
    }
    // docs: end

    @Test
    void whatWasExportedReplays(TestEngine engine, @TempDir Path histories) {
        engine.register(OrderWorkflow.class).activity(Payments.class, new StripePayments());
        var run = engine.client().start(OrderWorkflow.class, "order-42", w -> w.run(order));
        run.signal(w -> w.approve("ann"));
        run.result();
        engine.client().export("order-42", histories.resolve("order-42.json"));
        // docs: replayer
        Replayer.of(OrderWorkflow.class).replay(histories);
        // docs: end
    }
    // docs: workflow-test
}
// docs: end
