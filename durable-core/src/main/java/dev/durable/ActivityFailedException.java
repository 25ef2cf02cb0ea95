package dev.durable;

import dev.durable.history.Failure;
import org.jspecify.annotations.Nullable;

/**
 * An activity ended without a result: it threw something that its signature does not name, it ran out of a timeout ({@link
 * ActivityTimedOutException}), or an operator let it fail. Carries the failure as data.
 *
 * <p>An exception type that the signature names ({@code throws}, checked or not, or {@code doNotRetry}) comes back as
 * itself and is caught as itself, {@code catch (CardDeclined e)}; this exception is then its suppressed one and tells the
 * attempt's details. So there are two catches where both may happen: {@code catch (CardDeclined e)} and {@code catch
 * (ActivityFailedException e)}. A cancelled activity throws {@link CancelledException}, which neither catches.
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

    /**
     * The exception that the activity threw, as data: type name, message, stack, causes. Of an activity that ran out of a
     * timeout it is that of its last attempt before, and null where no attempt had failed.
     */
    public @Nullable Failure failure() {
        return failure;
    }
}
