package dev.durable.samples.snippets;

import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import java.time.Duration;
import java.util.UUID;

// docs: order-workflow
@Workflow
public class OrderWorkflow {
    private final Payments payments; // @Activity types are injected as stubs
    private String approvedBy;

    OrderWorkflow(Payments payments) {
        this.payments = payments;
    }

    @Run
    String run(Order order) throws CardDeclined, ApprovalTimedOut {
        UUID payment = Durable.uuid();
        Durable.compensate(() -> payments.refund(payment)); // runs if what follows fails
        String code = payments.charge(payment, order.total()); // retried by its policy, recorded once
        if (!Durable.await(Duration.ofDays(3), () -> approvedBy != null)) {
            throw new ApprovalTimedOut(order.id());
        }
        return code;
    }

    @Signal
    void approve(String by) {
        approvedBy = by;
    }
}
// docs: end
