package dev.durable.samples.orders;

import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Takes an order from the charge to the parcel, or undoes what was done so far. */
@Workflow
public class OrderWorkflow {
    private final Payments payments;
    private final Approvals approvals;
    private final Inventory inventory;
    private final Shipping shipping;

    private OrderStatus status = OrderStatus.RECEIVED;
    private @Nullable String approvedBy;

    public OrderWorkflow(Payments payments, Approvals approvals, Inventory inventory, Shipping shipping) {
        this.payments = payments;
        this.approvals = approvals;
        this.inventory = inventory;
        this.shipping = shipping;
    }

    @Run
    public Receipt run(Order order, ApprovalPolicy policy)
            throws CardDeclined, ApprovalTimedOut, OutOfStock, Undeliverable {
        UUID payment = Durable.uuid();
        // Before the call: a charge that went through although its answer was lost is refunded too.
        Durable.compensate(() -> payments.refund(payment));
        String authorization = payments.charge(payment, order.id(), order.card(), order.total());

        if (policy.asksFor(order.total())) {
            awaitApproval(order, policy);
        }

        status = OrderStatus.PACKING;
        Durable.compensate(() -> inventory.release(order.id()));
        Promise<@Nullable Void> stock =
                Durable.async(() -> inventory.reserve(order.id(), order.sku(), order.quantity()));
        Promise<String> label = Durable.async(() -> shipping.label(order.id(), order.country()));
        stock.get(OutOfStock.class);
        shipping.ship(order.id(), label.get(), order.country());

        status = OrderStatus.SHIPPED;
        return new Receipt(order.id(), order.total(), authorization, approvedBy, label.get(), Durable.now());
    }

    private void awaitApproval(Order order, ApprovalPolicy policy) throws ApprovalTimedOut {
        status = OrderStatus.AWAITING_APPROVAL;
        Durable.compensate(() -> approvals.withdraw(order.id()));
        approvals.request(order.id(), order.customer(), order.total());
        if (!Durable.await(policy.timeout(), () -> approvedBy != null)) {
            throw new ApprovalTimedOut(order.id(), policy.timeout());
        }
    }

    @Signal
    public void approve(String by) {
        approvedBy = by;
    }

    @Query
    public OrderStatus status() {
        return status;
    }
}
