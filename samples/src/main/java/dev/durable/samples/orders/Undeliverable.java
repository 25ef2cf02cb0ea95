package dev.durable.samples.orders;

/** The carrier does not go there. */
public class Undeliverable extends Exception {
    private static final long serialVersionUID = 1L;

    public Undeliverable(String country) {
        super("the carrier does not deliver to " + country);
    }
}
