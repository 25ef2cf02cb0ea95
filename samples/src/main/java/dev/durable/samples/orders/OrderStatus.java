package dev.durable.samples.orders;

/** How far an order is. */
public enum OrderStatus {
    RECEIVED,
    AWAITING_APPROVAL,
    PACKING,
    SHIPPED
}
