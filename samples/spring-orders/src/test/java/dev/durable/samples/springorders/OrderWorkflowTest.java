package dev.durable.samples.springorders;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import dev.durable.NonRetryableException;
import dev.durable.client.DurableClient;
import dev.durable.client.WorkflowHandle;
import dev.durable.spring.test.DurableSpringTest;
import dev.durable.testing.TestEngine;
import java.math.BigDecimal;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

/** The workflow alone, in memory: its activities are mocks, three days pass at once. */
@DurableSpringTest
class OrderWorkflowTest {
    @MockitoBean
    private Payments payments;

    @MockitoBean
    private Ledger ledger;

    @Autowired
    private DurableClient client;

    @BeforeEach
    void cardsAreGood() throws CardDeclined {
        when(payments.charge(any(), any(), any())).thenReturn("AUTH-1");
    }

    @Test
    void aSmallOrderIsChargedAndBooked() {
        var order = start("64.50");

        assertThat(order.result()).isEqualTo("AUTH-1");

        assertThat(order.history()).completedActivities("Payments.charge", "Ledger.book");
    }

    @Test
    void aLargeOrderWaitsForApproval(TestEngine engine) {
        var order = start("6400.00");
        engine.advance(Duration.ofDays(2));
        assertThat(order.query(OrderWorkflow::status)).isEqualTo(OrderStatus.AWAITING_APPROVAL);

        order.signal(w -> w.approve("bob"));

        assertThat(order.result()).isEqualTo("AUTH-1");
    }

    @Test
    void anOrderThatNobodyApprovesIsNotCharged(TestEngine engine) {
        var order = start("6400.00");

        engine.advance(Duration.ofDays(3));

        assertThatThrownBy(order::result).hasRootCauseInstanceOf(ApprovalTimedOut.class);
        verifyNoInteractions(payments);
    }

    @Test
    void aPaymentThatCannotBeBookedIsRefunded(TestEngine engine) {
        doThrow(new NonRetryableException("the ledger is closed")).when(ledger).book(any(), any(), any());
        var order = start("64.50");

        assertThatThrownBy(order::result).hasStackTraceContaining("the ledger is closed");

        assertThat(order.history()).completedActivities("Payments.charge", "Payments.refund");
    }

    private WorkflowHandle<OrderWorkflow, String> start(String total) {
        return client.start(OrderWorkflow.class, "order-42", w -> w.run("42", "ann", new BigDecimal(total)));
    }
}
