package dev.durable.samples.snippets;

class CardDeclined extends Exception {
    private static final long serialVersionUID = 1L;

    CardDeclined(String reason) {
        super(reason);
    }
}
