package dev.durable;

import dev.durable.history.Failure;
import dev.durable.history.TimeoutType;
import org.jspecify.annotations.Nullable;

/** An activity ran out of one of its timeouts, and its policy allows no further attempt; or it expired. */
public class ActivityTimedOutException extends ActivityFailedException {
    private static final long serialVersionUID = 1L;

    private final TimeoutType timeout;

    public ActivityTimedOutException(
            String message, String activity, int seq, int attempt, TimeoutType timeout, @Nullable Failure lastFailure) {
        super(message, activity, seq, attempt, lastFailure, null);
        this.timeout = timeout;
    }

    /** Which timeout it was. */
    public TimeoutType timeout() {
        return timeout;
    }
}
