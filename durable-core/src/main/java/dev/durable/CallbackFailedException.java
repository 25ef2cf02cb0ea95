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

    /** The exception that was handed in, or says why the value can't be read, as data: type name, message, stack, causes. */
    public @Nullable Failure failure() {
        return failure;
    }
}
