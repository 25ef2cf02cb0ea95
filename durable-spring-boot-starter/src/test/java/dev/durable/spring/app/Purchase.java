package dev.durable.spring.app;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** A row that JPA writes. */
@Entity
public class Purchase {
    @Id
    private String id;

    protected Purchase() {}

    public Purchase(String id) {
        this.id = id;
    }

    public String id() {
        return id;
    }
}
