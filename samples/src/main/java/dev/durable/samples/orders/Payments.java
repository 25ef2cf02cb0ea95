package dev.durable.samples.orders;

import dev.durable.Activity;
import dev.durable.Retry;
import java.util.UUID;

/** The payment provider. */
@Activity(
        startToClose = "10s",
        retry = @Retry(initialInterval = "200ms", maxInterval = "10s", doNotRetry = CardDeclined.class))
public interface Payments {

    /** Charges the card; gives the provider's authorization code. */
    String charge(UUID payment, String orderId, String card, Money amount) throws CardDeclined;

    /** Gives the money back; nothing to do where no charge went through. */
    void refund(UUID payment);
}
