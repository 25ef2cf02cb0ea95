package dev.durable.samples.springorders;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** A line of the ledger: what was charged for an order. */
@Entity
@SuppressWarnings("UnusedVariable") // JPA writes the fields
public class Booking {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private @Nullable Long id;

    private String orderId;
    private BigDecimal amount;
    private String authorizationCode;

    /** For JPA. */
    @SuppressWarnings("NullAway.Init")
    protected Booking() {}

    Booking(String orderId, BigDecimal amount, String authorizationCode) {
        this.orderId = orderId;
        this.amount = amount;
        this.authorizationCode = authorizationCode;
    }
}
