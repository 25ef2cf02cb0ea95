package dev.durable.samples.springorders;

import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One order from its acceptance to the booking. A large one waits for approval, three days at most. */
@Workflow
public class OrderWorkflow {
    private static final BigDecimal LARGE = new BigDecimal("1000");

    private final Payments payments;
    private final Ledger ledger;

    private OrderStatus status = OrderStatus.RECEIVED;
    private @Nullable String approvedBy;

    public OrderWorkflow(Payments payments, Ledger ledger) {
        this.payments = payments;
        this.ledger = ledger;
    }

    @Run
    public String run(String orderId, String customer, BigDecimal total) throws CardDeclined, ApprovalTimedOut {
        if (total.compareTo(LARGE) > 0) {
            status = OrderStatus.AWAITING_APPROVAL;
            if (!Durable.await(Duration.ofDays(3), () -> approvedBy != null)) {
                throw new ApprovalTimedOut(orderId);
            }
        }
        status = OrderStatus.CHARGING;
        UUID payment = Durable.uuid();
        Durable.compensate(() -> payments.refund(payment)); // if what follows fails
        String authorizationCode = payments.charge(payment, customer, total);

        status = OrderStatus.BOOKING;
        ledger.book(orderId, total, authorizationCode);

        status = OrderStatus.BOOKED;
        return authorizationCode;
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
