package dev.durable.spring;

import dev.durable.DurableException;

/** The application's beans do not fit together for Durable. The message says what is wrong, apart from it what to do. */
final class SetupException extends DurableException {
    private static final long serialVersionUID = 1L;

    private final String wayOut;

    SetupException(String message, String wayOut) {
        super(message);
        this.wayOut = wayOut;
    }

    String wayOut() {
        return wayOut;
    }
}
