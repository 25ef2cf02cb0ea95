package dev.durable;

import dev.durable.history.Failure;
import org.jspecify.annotations.Nullable;

/**
 * An activity ended without a result, and its exception type is not named by its signature. Carries the failure as
 * data; where the type is named, this stands as a suppressed exception of the original and tells the attempt's details.
 */
public class ActivityFailedException extends DurableException {
    private static final long serialVersionUID = 1L;

    private final String activity;
    private final int seq;
    private final int attempt;
    private final transient @Nullable Failure failure;

    public ActivityFailedException(
            String message,
            String activity,
            int seq,
            int attempt,
            @Nullable Failure failure,
            @Nullable Throwable cause) {
        super(message, cause);
        this.activity = activity;
        this.seq = seq;
        this.attempt = attempt;
        this.failure = failure;
    }

    /** The activity's name, {@code Payments.charge}. */
    public String activity() {
        return activity;
    }

    /** The activity's number in its run. */
    public int seq() {
        return seq;
    }

    /** The attempt that failed last, from 1. */
    public int attempt() {
        return attempt;
    }

    /** What was thrown, as data: type name, message, stack, causes. */
    public @Nullable Failure failure() {
        return failure;
    }
}
