package dev.durable.samples.snippets;

class ApprovalTimedOut extends Exception {
    private static final long serialVersionUID = 1L;

    ApprovalTimedOut(String orderId) {
        super("nobody approved order " + orderId);
    }
}
