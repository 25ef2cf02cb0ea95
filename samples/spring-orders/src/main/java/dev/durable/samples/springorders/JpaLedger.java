package dev.durable.samples.springorders;

import java.math.BigDecimal;
import org.springframework.stereotype.Service;

/** Books by JPA's repositories; the transaction is there already. */
@Service
class JpaLedger implements Ledger {
    private final PurchaseOrders orders;
    private final Bookings bookings;

    JpaLedger(PurchaseOrders orders, Bookings bookings) {
        this.orders = orders;
        this.bookings = bookings;
    }

    @Override
    public void book(String orderId, BigDecimal amount, String authorizationCode) {
        orders.findById(orderId).orElseThrow().markBooked();
        bookings.save(new Booking(orderId, amount, authorizationCode));
    }
}
