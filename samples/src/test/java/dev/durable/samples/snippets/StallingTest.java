package dev.durable.samples.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The choices of a team about exceptions that it did not expect. */
@Timeout(60)
class StallingTest {
    private final InMemoryHistoryStore store = new InMemoryHistoryStore();

    // docs: stall-on
    @Workflow(name = "Invoice", stallOn = RuntimeException.class)
    static class InvoiceWorkflow {
        private final Payments payments;

        InvoiceWorkflow(Payments payments) {
            this.payments = payments;
        }

        @Run
        String run(Order order) throws CardDeclined { // declared, an outcome: the run fails
            String code = payments.charge(Durable.uuid(), order.total());
            return code.substring(0, 40); // StringIndexOutOfBoundsException, a mistake: the run stalls
        }
    }
    // docs: end

    @Workflow(name = "Invoice", stallOn = RuntimeException.class)
    static class MendedInvoiceWorkflow {
        private final Payments payments;

        MendedInvoiceWorkflow(Payments payments) {
            this.payments = payments;
        }

        @Run
        String run(Order order) throws CardDeclined {
            return payments.charge(Durable.uuid(), order.total());
        }
    }

    @Test
    void whatAWorkflowDoesNotDeclareWaitsForMendedCode() {
        try (DurableEngine engine = DurableEngine.builder(store)
                .register(InvoiceWorkflow.class, new StripePayments())
                .start()) {
            var declined = engine.client()
                    .start(InvoiceWorkflow.class, "invoice-1", w -> w.run(new Order("1", BigDecimal.ZERO)));
            Order order = new Order("2", BigDecimal.TEN);
            var stalled = engine.client().start(InvoiceWorkflow.class, "invoice-2", w -> w.run(order));
            awaitStalled(stalled);
            assertThat(stalled.describe().stalledBy())
                    .contains("java.lang.StringIndexOutOfBoundsException")
                    .contains("InvoiceWorkflow.run(");
            awaitStatus(declined, WorkflowStatus.FAILED);
        }
        try (DurableEngine mended = DurableEngine.builder(store)
                .register(MendedInvoiceWorkflow.class, new StripePayments())
                .start()) {
            assertThat(mended.client()
                            .handle(MendedInvoiceWorkflow.class, "invoice-2")
                            .resultAs(String.class))
                    .isEqualTo("AUTH-4711");
        }
    }

    @Workflow
    static class CarelessWorkflow {
        @Run
        String run(String name) {
            return name.substring(40);
        }
    }

    @Test
    void anEngineIsToldForAllItsWorkflows() {
        // docs: stall-on-engine
        try (DurableEngine engine = DurableEngine.builder(store)
                .register(CarelessWorkflow.class)
                .stallOn(RuntimeException.class)
                .start()) {
            // docs: end
            var run = engine.client().start(CarelessWorkflow.class, "careless-1", w -> w.run("ann"));
            awaitStalled(run);
            while (engine.worker().stalledRuns() == 0) { // the row has it a moment before its process knows that
                LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
            }
            // docs: stalled-runs
            long all = engine.client().workflows().where(w -> w.stalled()).count();
            String why = run.describe().stalledBy();
            int here = engine.worker().stalledRuns(); // in this process within two minutes; also in health
            // docs: end
            assertThat(all).isOne();
            assertThat(here).isOne();
            assertThat(why).contains("The engine's stallOn (durable.stall-on) lists java.lang.RuntimeException");
            // docs: stall-on-engine
        }
        // docs: end
    }

    private static void awaitStalled(WorkflowHandle<?, ?> run) {
        while (run.describe().stalledBy() == null) {
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }

    private static void awaitStatus(WorkflowHandle<?, ?> run, WorkflowStatus wanted) {
        while (run.describe().summary().status() != wanted) {
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }
}
