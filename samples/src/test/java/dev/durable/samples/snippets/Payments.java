package dev.durable.samples.snippets;

import dev.durable.Activity;
import dev.durable.Retry;
import java.math.BigDecimal;
import java.util.UUID;

// docs: payments
@Activity(startToClose = "10s", retry = @Retry(maxAttempts = 5, doNotRetry = CardDeclined.class))
interface Payments {
    String charge(UUID payment, BigDecimal amount) throws CardDeclined;

    void refund(UUID payment);
}
// docs: end
