package dev.durable.samples.orders;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.durable.client.WorkflowHandle;
import dev.durable.testing.DurableTest;
import dev.durable.testing.Replayer;
import dev.durable.testing.TestEngine;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The workflow as its authors test it: other companies are mocks, three days pass at once. */
@DurableTest
class OrderWorkflowTest {
    private static final ApprovalPolicy POLICY = new ApprovalPolicy(Money.euros("1000.00"), Duration.ofDays(3));
    private static final Order LAMP = order("LAMP-TABLE-04", "64.50");
    private static final Order SOFA = order("SOFA-LINEN-3", "1290.00");

    private final Payments payments = mock(Payments.class);
    private final Approvals approvals = mock(Approvals.class);
    private final Inventory inventory = mock(Inventory.class);
    private final Shipping shipping = mock(Shipping.class);

    @BeforeEach
    void theShop(TestEngine engine) throws CardDeclined {
        when(payments.charge(any(), any(), any(), any())).thenReturn("AUTH-1");
        when(shipping.label(any(), any())).thenReturn("RX1DE");
        engine.register(OrderWorkflow.class)
                .activity(Payments.class, payments)
                .activity(Approvals.class, approvals)
                .activity(Inventory.class, inventory)
                .activity(Shipping.class, shipping);
    }

    @Test
    void aSmallOrderIsShippedWithoutApproval(TestEngine engine) {
        var order = start(engine, LAMP);

        Receipt receipt = order.result();

        assertThat(receipt.paid()).isEqualTo(Money.euros("64.50"));
        assertThat(receipt.tracking()).isEqualTo("RX1DE");
        assertThat(receipt.approvedBy()).isNull();
        assertThat(order.history())
                .completedActivitiesInAnyOrder(
                        "Payments.charge", "Inventory.reserve", "Shipping.label", "Shipping.ship");
    }

    @Test
    void aLargeOrderWaitsForApproval(TestEngine engine) {
        var order = start(engine, SOFA);
        engine.advance(Duration.ofDays(2));
        assertThat(order.query(OrderWorkflow::status)).isEqualTo(OrderStatus.AWAITING_APPROVAL);

        order.signal(w -> w.approve("m.keller"));

        assertThat(order.result().approvedBy()).isEqualTo("m.keller");
        assertThat(order.query(OrderWorkflow::status)).isEqualTo(OrderStatus.SHIPPED);
    }

    @Test
    void anOrderThatNobodyApprovesIsRefundedAfterThreeDays(TestEngine engine) {
        var order = start(engine, SOFA);
        Instant started = engine.now();

        assertThatThrownBy(order::result).hasRootCauseInstanceOf(ApprovalTimedOut.class);

        assertThat(Duration.between(started, engine.now())).isGreaterThanOrEqualTo(Duration.ofDays(3));
        assertThat(order.history())
                .completedActivities("Payments.charge", "Approvals.request", "Approvals.withdraw", "Payments.refund");
    }

    @Test
    void aDeclinedCardEndsTheOrderAtTheFirstAttempt(TestEngine engine) throws CardDeclined {
        when(payments.charge(any(), any(), any(), any())).thenThrow(new CardDeclined("expired"));
        var order = start(engine, LAMP);

        assertThatThrownBy(order::result)
                .hasRootCauseInstanceOf(CardDeclined.class)
                .hasRootCauseMessage("card declined: expired");

        assertThat(order.history()).failedActivities("Payments.charge").completedActivities("Payments.refund");
    }

    @Test
    void whatIsOutOfStockIsRefunded(TestEngine engine) throws OutOfStock {
        doThrow(new OutOfStock("LAMP-TABLE-04", 1)).when(inventory).reserve(any(), any(), any(int.class));
        var order = start(engine, LAMP);

        assertThatThrownBy(order::result).hasRootCauseInstanceOf(OutOfStock.class);

        assertThat(order.history()).failedActivities("Inventory.reserve");
        verify(payments).refund(any());
    }

    @Test
    void whatCannotBeDeliveredGoesBackToTheShelfAndIsRefunded(TestEngine engine) throws Undeliverable {
        doThrow(new Undeliverable("GL")).when(shipping).ship(any(), any(), any());
        var order = start(engine, LAMP);

        assertThatThrownBy(order::result).hasRootCauseMessage("the carrier does not deliver to GL");

        assertThat(order.history())
                .completedActivitiesInAnyOrder(
                        "Payments.charge",
                        "Inventory.reserve",
                        "Shipping.label",
                        "Inventory.release",
                        "Payments.refund");
    }

    @Test
    void aCarrierThatIsDownIsAskedAgain(TestEngine engine) throws Undeliverable {
        doThrow(new IllegalStateException("503"))
                .doThrow(new IllegalStateException("503"))
                .doNothing()
                .when(shipping)
                .ship(any(), any(), any());

        assertThat(start(engine, LAMP).result().tracking()).isEqualTo("RX1DE");
    }

    @Test
    void ordersOfEarlierReleasesStillReplay() {
        assertThat(Replayer.of(OrderWorkflow.class).replay(Path.of("src/test/histories")))
                .isPositive();
    }

    private static WorkflowHandle<OrderWorkflow, Receipt> start(TestEngine engine, Order order) {
        return engine.client().start(OrderWorkflow.class, Order.workflowId(order.id()), w -> w.run(order, POLICY));
    }

    private static Order order(String sku, String price) {
        return new Order(
                "20007",
                Instant.parse("2026-03-02T06:23:05Z"),
                "Tomasz Wójcik",
                "tomasz.wojcik@mail.example",
                "PL",
                "tok_visa_4242",
                sku,
                1,
                Money.euros(price));
    }
}
