package dev.durable.samples.springorders;

import dev.durable.Activity;
import dev.durable.Retry;
import java.math.BigDecimal;
import java.util.UUID;

/** The payment provider, reached over the network. */
@Activity(startToClose = "10s", retry = @Retry(doNotRetry = CardDeclined.class))
public interface Payments {
    /** Charges once for each payment id, however often it is called. */
    String charge(UUID payment, String customer, BigDecimal amount) throws CardDeclined;

    void refund(UUID payment);
}
