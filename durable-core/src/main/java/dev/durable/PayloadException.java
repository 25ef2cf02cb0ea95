package dev.durable;

import org.jspecify.annotations.Nullable;

/** A value can't be written as JSON, read as its declared type, or is larger than the limit. */
public class PayloadException extends DurableException {
    private static final long serialVersionUID = 1L;

    public PayloadException(String message) {
        super(message);
    }

    public PayloadException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
