package dev.durable;

import org.jspecify.annotations.Nullable;

/** A value can't be written as JSON, read as its declared type, or is larger than the limit. */
public class PayloadException extends DurableException {
    private static final long serialVersionUID = 1L;

    private final boolean stored;

    public PayloadException(String message) {
        this(message, null);
    }

    public PayloadException(String message, @Nullable Throwable cause) {
        this(message, cause, false);
    }

    private PayloadException(String message, @Nullable Throwable cause, boolean stored) {
        super(message, cause);
        this.stored = stored;
    }

    /** Of a value that is stored and can't be read, which no other call would mend. */
    public static PayloadException ofStored(String message, @Nullable Throwable cause) {
        return new PayloadException(message, cause, true);
    }

    /** Returns whether it is a stored value that can't be read, rather than one that was passed and is refused. */
    public boolean isOfStored() {
        return stored;
    }
}
