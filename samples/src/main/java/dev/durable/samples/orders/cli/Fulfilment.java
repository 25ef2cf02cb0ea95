package dev.durable.samples.orders.cli;

import dev.durable.ConflictPolicy;
import dev.durable.ReusePolicy;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.WorkflowFailedException;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.samples.orders.ApprovalPolicy;
import dev.durable.samples.orders.Order;
import dev.durable.samples.orders.OrderWorkflow;
import dev.durable.samples.orders.Receipt;
import java.util.concurrent.atomic.LongAdder;

/** Starts orders, each once and for ever, and waits for their ends. */
final class Fulfilment {
    private final DurableClient client;
    private final ApprovalPolicy policy;
    private final LongAdder endedBefore = new LongAdder();

    Fulfilment(DurableClient client, ApprovalPolicy policy) {
        this.client = client;
        this.policy = policy;
    }

    /** Sees the order through: a new one, one that a killed process left open, or one that has ended long ago. */
    Outcome of(Order order) {
        try {
            startOrFind(order).resultAs(Receipt.class);
            return Outcome.SHIPPED;
        } catch (WorkflowFailedException e) {
            return Outcome.of(e);
        }
    }

    /** Orders that an earlier process had brought to their end. */
    long endedBefore() {
        return endedBefore.sum();
    }

    private WorkflowHandle<OrderWorkflow, ?> startOrFind(Order order) {
        StartOptions options = StartOptions.id(Order.workflowId(order.id()))
                .conflictPolicy(ConflictPolicy.USE_EXISTING)
                .reusePolicy(ReusePolicy.REJECT_DUPLICATE);
        try {
            return client.start(OrderWorkflow.class, options, w -> w.run(order, policy));
        } catch (WorkflowAlreadyStartedException e) {
            endedBefore.increment();
            return client.handle(OrderWorkflow.class, options.id());
        }
    }
}
