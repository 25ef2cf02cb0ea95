package dev.durable;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Thrown by an activity: this attempt failed, and the next one starts after the given delay. */
public class RetryAfterException extends DurableException {
    private static final long serialVersionUID = 1L;

    private final Duration delay;

    /**
     * The next attempt starts after this delay; zero is at once.
     *
     * @throws IllegalArgumentException when it is negative, or longer than a hundred years
     */
    public RetryAfterException(Duration delay) {
        this(delay, null);
    }

    /** The next attempt starts after this delay; the cause is the exception that made the attempt fail. */
    public RetryAfterException(Duration delay, @Nullable Throwable cause) {
        super("try again after " + delay, cause);
        try {
            this.delay = WaitBounds.notNegative("the delay of a RetryAfterException", delay);
        } catch (IllegalArgumentException e) {
            if (cause != null) {
                e.initCause(cause);
            }
            throw e;
        }
    }

    /** The delay before the next attempt. */
    public Duration delay() {
        return delay;
    }
}
