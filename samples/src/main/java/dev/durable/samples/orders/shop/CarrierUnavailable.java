package dev.durable.samples.orders.shop;

/** The carrier's service does not answer for now: worth another attempt. */
final class CarrierUnavailable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CarrierUnavailable(String message) {
        super(message);
    }
}
