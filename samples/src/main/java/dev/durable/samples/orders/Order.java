package dev.durable.samples.orders;

import java.time.Instant;

/**
 * An order of a customer.
 *
 * @param id the shop's number of it
 * @param placedAt when
 * @param customer a person or a company
 * @param email where the receipt goes
 * @param country where the parcel goes, ISO 3166 alpha-2
 * @param card the payment provider's token of the card
 * @param sku the article
 * @param quantity how many of it
 * @param unitPrice the price of one
 */
public record Order(
        String id,
        Instant placedAt,
        String customer,
        String email,
        String country,
        String card,
        String sku,
        int quantity,
        Money unitPrice) {

    /** The amount that is charged. */
    public Money total() {
        return unitPrice.times(quantity);
    }

    /** The workflow id of an order: starting it twice is starting it once. */
    public static String workflowId(String orderId) {
        return "order-" + orderId;
    }
}
