package dev.durable;

import org.jspecify.annotations.Nullable;

/**
 * Workflows or activities that were registered can't be run; the message lists everything that is wrong, each with the
 * way out.
 */
public class RegistrationException extends DurableException {
    private static final long serialVersionUID = 1L;

    public RegistrationException(String message) {
        super(message);
    }

    public RegistrationException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
