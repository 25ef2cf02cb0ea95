package dev.durable.samples.springorders;

import dev.durable.Activity;
import java.math.BigDecimal;

/** The bookkeeping, in the application's own tables. */
@Activity
public interface Ledger {
    /** Happens exactly once: the rows that it writes and the record that it is done are one transaction. */
    @Activity(transactional = true)
    void book(String orderId, BigDecimal amount, String authorizationCode);
}
