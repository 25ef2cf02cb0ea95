package dev.durable.samples.orders.cli;

import dev.durable.WorkflowFailedException;
import dev.durable.samples.orders.ApprovalTimedOut;
import dev.durable.samples.orders.CardDeclined;
import dev.durable.samples.orders.OutOfStock;
import dev.durable.samples.orders.Undeliverable;

/** How an order ended. */
enum Outcome {
    SHIPPED("shipped"),
    CARD_DECLINED("card declined"),
    OUT_OF_STOCK("out of stock"),
    UNDELIVERABLE("not deliverable"),
    APPROVAL_TIMED_OUT("approval timed out"),
    OTHERWISE("ended otherwise");

    final String text;

    Outcome(String text) {
        this.text = text;
    }

    /**
     * Maps the exceptions of {@code OrderWorkflow.run} to outcomes; they come back in the types in which they were
     * thrown.
     */
    static Outcome of(WorkflowFailedException failed) {
        return switch (failed.getCause()) {
            case CardDeclined e -> CARD_DECLINED;
            case OutOfStock e -> OUT_OF_STOCK;
            case Undeliverable e -> UNDELIVERABLE;
            case ApprovalTimedOut e -> APPROVAL_TIMED_OUT;
            case null, default -> OTHERWISE;
        };
    }
}
