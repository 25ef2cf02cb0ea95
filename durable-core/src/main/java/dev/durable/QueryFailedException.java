package dev.durable;

import org.jspecify.annotations.Nullable;

/** A query threw, does not exist, or broke a query's rules. */
public class QueryFailedException extends DurableException {
    private static final long serialVersionUID = 1L;

    public QueryFailedException(String message) {
        super(message);
    }

    public QueryFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
