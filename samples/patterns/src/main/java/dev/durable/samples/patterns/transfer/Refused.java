package dev.durable.samples.patterns.transfer;

/** The bank has decided: the account is closed, or has too little money. */
public class Refused extends Exception {
    private static final long serialVersionUID = 1;

    public Refused(String message) {
        super(message);
    }
}
