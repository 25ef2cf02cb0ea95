package dev.durable.samples.orders;

/** The bank says no; asking again would not help. */
public class CardDeclined extends Exception {
    private static final long serialVersionUID = 1L;

    public CardDeclined(String reason) {
        super("card declined: " + reason);
    }
}
