package dev.durable.samples.springorders;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.math.BigDecimal;

/** An order of a customer. */
@Entity
public class PurchaseOrder {
    @Id
    private String id;

    private String customer;
    private BigDecimal total;
    private boolean booked;

    /** For JPA. */
    @SuppressWarnings("NullAway.Init")
    protected PurchaseOrder() {}

    PurchaseOrder(String id, String customer, BigDecimal total) {
        this.id = id;
        this.customer = customer;
        this.total = total;
    }

    String id() {
        return id;
    }

    String customer() {
        return customer;
    }

    BigDecimal total() {
        return total;
    }

    boolean isBooked() {
        return booked;
    }

    void markBooked() {
        booked = true;
    }
}
