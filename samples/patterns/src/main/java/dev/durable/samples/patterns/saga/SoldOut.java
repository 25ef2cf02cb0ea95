package dev.durable.samples.patterns.saga;

/** Nothing is left to book. */
public class SoldOut extends Exception {
    private static final long serialVersionUID = 1;

    public SoldOut(String what) {
        super("no " + what + " is left");
    }
}
