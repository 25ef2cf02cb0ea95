package dev.durable.samples.orders;

import dev.durable.Activity;
import dev.durable.Retry;

/** The desk where people approve large orders; they answer with the signal {@link OrderWorkflow#approve}. */
@Activity(startToClose = "10s", retry = @Retry(initialInterval = "200ms", maxInterval = "10s"))
public interface Approvals {

    /** Puts the order on the desk. */
    void request(String orderId, String customer, Money total);

    /** Takes it off the desk, if it has no answer yet. */
    void withdraw(String orderId);
}
