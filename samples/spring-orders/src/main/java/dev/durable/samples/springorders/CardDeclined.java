package dev.durable.samples.springorders;

/** The customer's bank refused. */
public class CardDeclined extends Exception {
    CardDeclined(String reason) {
        super("card declined: " + reason);
    }
}
