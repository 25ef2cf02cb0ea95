package dev.durable.spring.app;

import dev.durable.Run;
import dev.durable.Workflow;

/** Books once. */
@Workflow
public class BookingWorkflow {
    private final Ledger ledger;

    public BookingWorkflow(Ledger ledger) {
        this.ledger = ledger;
    }

    /** In which attempt it was booked. */
    @Run
    public int run(String account, int failures) {
        return ledger.book(account, failures);
    }
}
