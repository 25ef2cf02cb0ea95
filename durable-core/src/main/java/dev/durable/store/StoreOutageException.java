package dev.durable.store;

import dev.durable.StoreUnavailableException;
import org.jspecify.annotations.Nullable;

/** A store that does not answer, and knows how much of it does not: whoever asked can tell whether to wait. */
public class StoreOutageException extends StoreUnavailableException {
    private static final long serialVersionUID = 1L;

    /** The reason where one connection was lost. */
    static final String CONNECTION_LOST = "a connection was lost";

    private final String reason;

    private StoreOutageException(String reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** A connection was lost before it could have done anything; another may answer at once. */
    public static StoreOutageException ofOneConnection(String message, @Nullable Throwable cause) {
        return new StoreOutageException(CONNECTION_LOST, message, cause);
    }

    /**
     * Whoever asks now is refused, or finds nobody: to be waited for. Nothing happened.
     *
     * @param reason short, and the same for all that fail for the same reason: a log tells each once
     * @param message what happened, with the store's own words
     */
    public static StoreOutageException ofAll(String reason, String message, @Nullable Throwable cause) {
        return new StoreOutageException(reason, message, cause);
    }

    /** Whether other connections may be answered at once. */
    public boolean isOneConnections() {
        return reason.equals(CONNECTION_LOST);
    }

    /** Short, and the same for all that fail for the same reason. */
    public String reason() {
        return reason;
    }
}
