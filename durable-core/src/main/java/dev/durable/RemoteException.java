package dev.durable;

import org.jspecify.annotations.Nullable;

/**
 * An exception that reached this process as data only, because no signature names its type: message and stack are the
 * original's.
 */
public final class RemoteException extends DurableException {
    private static final long serialVersionUID = 1L;

    private final String type;

    public RemoteException(String type, @Nullable String message, @Nullable Throwable cause) {
        super(message == null ? type : type + ": " + message, cause);
        this.type = type;
    }

    /** The original's class name. */
    public String type() {
        return type;
    }
}
