package dev.durable.samples.orders.shop;

import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableClient;
import dev.durable.samples.orders.Order;
import dev.durable.samples.orders.OrderWorkflow;
import java.time.Duration;

/**
 * Plays the person at the desk: approves what has been lying there for a moment, but overlooks one order in six, whose
 * approval will time out.
 *
 * <p>The signal comes first and the note follows: when the process dies in between, the order is approved twice, which
 * is as good as once.
 */
public final class Approver implements Runnable {
    private static final String NAME = "m.keller";

    private final ApprovalDesk desk;
    private final DurableClient client;
    private final Duration pause;

    public Approver(ApprovalDesk desk, DurableClient client, Duration pause) {
        this.desk = desk;
        this.client = client;
        this.pause = pause;
    }

    /** One look at the desk. */
    @Override
    public void run() {
        for (String orderId : desk.unanswered(pause)) {
            if (!overlooked(orderId)) {
                approve(orderId);
            }
        }
    }

    private void approve(String orderId) {
        try {
            client.handle(OrderWorkflow.class, Order.workflowId(orderId)).signal(w -> w.approve(NAME));
            desk.answered(orderId, NAME);
        } catch (WorkflowNotFoundException e) {
            // Too late: its time is up, and the order withdraws its request itself.
        }
    }

    private static boolean overlooked(String orderId) {
        return Math.floorMod(orderId.hashCode(), 6) == 0;
    }
}
