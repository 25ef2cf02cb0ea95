package dev.durable.samples.orders;

/** Fewer articles are left than were ordered. */
public class OutOfStock extends Exception {
    private static final long serialVersionUID = 1L;

    public OutOfStock(String sku, int quantity) {
        super("out of stock: " + quantity + " × " + sku);
    }
}
