package dev.durable.samples.patterns.entity;

/** An account has fewer points than are asked for. */
public class NotEnoughPoints extends Exception {
    private static final long serialVersionUID = 1;

    public NotEnoughPoints(int points) {
        super("only " + points + " points are left");
    }
}
