package dev.durable.samples.springorders;

/** Nobody approved a large order in time. */
public class ApprovalTimedOut extends Exception {
    ApprovalTimedOut(String orderId) {
        super("nobody approved order " + orderId);
    }
}
