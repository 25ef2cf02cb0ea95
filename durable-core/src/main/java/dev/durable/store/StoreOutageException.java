package dev.durable.store;

import dev.durable.StoreUnavailableException;
import org.jspecify.annotations.Nullable;

/** Thrown where a store does not answer and knows how much of it, so that the caller can decide whether to wait. */
public class StoreOutageException extends StoreUnavailableException {
    private static final long serialVersionUID = 1L;

    /** The reason of an exception for one lost connection. */
    public static final String CONNECTION_LOST = "a connection was lost";

    private final String reason;

    private StoreOutageException(String reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** A connection was lost before any statement could have taken effect; another connection may answer at once. */
    public static StoreOutageException ofOneConnection(String message, @Nullable Throwable cause) {
        return new StoreOutageException(CONNECTION_LOST, message, cause);
    }

    /**
     * Every connection is refused, or no server answers, so the caller has to wait. Nothing was written.
     *
     * @param reason short, and equal for all failures of one cause, as the log has one line for each reason
     * @param message what happened, with the store's own words
     */
    public static StoreOutageException ofAll(String reason, String message, @Nullable Throwable cause) {
        return new StoreOutageException(reason, message, cause);
    }

    /** Returns whether other connections may be answered at once. */
    public boolean isOneConnections() {
        return reason.equals(CONNECTION_LOST);
    }

    /** A short text that is equal for all failures of one cause. */
    public String reason() {
        return reason;
    }
}
