package dev.durable.samples.orders;

import java.time.Duration;

/** Nobody approved the order in time. */
public class ApprovalTimedOut extends Exception {
    private static final long serialVersionUID = 1L;

    public ApprovalTimedOut(String orderId, Duration timeout) {
        super("order " + orderId + " was not approved within " + timeout.toSeconds() + " s");
    }
}
