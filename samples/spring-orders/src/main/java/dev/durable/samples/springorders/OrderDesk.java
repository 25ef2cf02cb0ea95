package dev.durable.samples.springorders;

import dev.durable.ReusePolicy;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowDescription;
import dev.durable.client.WorkflowHandle;
import java.math.BigDecimal;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Accepts orders, and asks their workflows. */
@Service
public class OrderDesk {
    private final PurchaseOrders orders;
    private final DurableClient client;

    OrderDesk(PurchaseOrders orders, DurableClient client) {
        this.orders = orders;
        this.client = client;
    }

    /** The workflow exists exactly if the order's row does: both are written by the same transaction. */
    @Transactional
    public void place(String id, String customer, BigDecimal total) {
        orders.save(new PurchaseOrder(id, customer, total));
        client.start(OrderWorkflow.class, once(id), w -> w.run(id, customer, total));
    }

    void approve(String id, String by) {
        workflow(id).signal(w -> w.approve(by));
    }

    /** Asks the database only. */
    WorkflowDescription describe(String id) {
        return workflow(id).describe();
    }

    /** Asks the workflow itself. */
    OrderStatus status(String id) {
        return workflow(id).query(OrderWorkflow::status);
    }

    private WorkflowHandle<OrderWorkflow, ?> workflow(String id) {
        return client.handle(OrderWorkflow.class, workflowId(id));
    }

    /** An order is placed once, also when its workflow has ended. */
    private static StartOptions once(String orderId) {
        return StartOptions.id(workflowId(orderId)).reusePolicy(ReusePolicy.REJECT_DUPLICATE);
    }

    private static String workflowId(String orderId) {
        return "order-" + orderId;
    }
}
