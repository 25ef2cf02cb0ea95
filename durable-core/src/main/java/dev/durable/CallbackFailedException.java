package dev.durable;

import dev.durable.history.Failure;
import org.jspecify.annotations.Nullable;

/**
 * The holder of a callback's token let the callback fail, or completed it with a value that is not of its type. Carries
 * the failure as data: that of such a value is a {@link PayloadException}.
 */
public class CallbackFailedException extends DurableException {
    private static final long serialVersionUID = 1L;

    private final transient @Nullable Failure failure;

    public CallbackFailedException(String message, @Nullable Failure failure, @Nullable Throwable cause) {
        super(message, cause);
        this.failure = failure;
    }

    /** The failure as data (type name, message, stack, causes): the one that was handed in, or why the value can't be read. */
    public @Nullable Failure failure() {
        return failure;
    }
}
