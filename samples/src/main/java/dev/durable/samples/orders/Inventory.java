package dev.durable.samples.orders;

import dev.durable.Activity;
import dev.durable.Retry;

/** The warehouse's stock. */
@Activity(
        startToClose = "10s",
        retry = @Retry(initialInterval = "200ms", maxInterval = "10s", doNotRetry = OutOfStock.class))
public interface Inventory {

    /** Puts the articles aside. */
    void reserve(String orderId, String sku, int quantity) throws OutOfStock;

    /** Puts them back; nothing to do where none were reserved. */
    void release(String orderId);
}
