package dev.durable.internal.replay.match;

import dev.durable.DurableException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a run can't go on with the current code: an {@code Error} came out of it, it blocks its thread or never
 * comes to a wait, recorded data does not fit its types, or it threw an exception that {@code stallOn} lists. The run
 * stays open; a new deployment can mend it.
 */
public class StalledException extends DurableException {
    private static final long serialVersionUID = 1L;

    private final boolean stackLogged;

    public StalledException(String message, @Nullable Throwable cause) {
        this(message, cause, false);
    }

    /**
     * @param stackLogged whether the stack at the end of the message is in the log already
     */
    public StalledException(String message, @Nullable Throwable cause, boolean stackLogged) {
        super(message, cause);
        this.stackLogged = stackLogged;
    }

    /** Returns the text for the log: its message, without a stack that the log has already. */
    public String toBeLogged() {
        String message = String.valueOf(getMessage());
        int stack = message.indexOf('\n');
        return stackLogged && stack >= 0 ? message.substring(0, stack) : message;
    }
}
