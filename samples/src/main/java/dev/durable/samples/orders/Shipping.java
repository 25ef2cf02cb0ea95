package dev.durable.samples.orders;

import dev.durable.Activity;
import dev.durable.Retry;

/** The carrier. It is down now and then: hence the patience. */
@Activity(
        startToClose = "10s",
        retry = @Retry(initialInterval = "300ms", backoff = 2.0, maxInterval = "30s", doNotRetry = Undeliverable.class))
public interface Shipping {

    /** Prints the label; gives the tracking number. */
    String label(String orderId, String country);

    /** Hands the parcel over. */
    void ship(String orderId, String tracking, String country) throws Undeliverable;
}
