package dev.durable.samples.springorders;

/** How far an order is. */
public enum OrderStatus {
    RECEIVED,
    AWAITING_APPROVAL,
    CHARGING,
    BOOKING,
    BOOKED
}
