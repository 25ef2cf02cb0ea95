package dev.durable.store;

import dev.durable.DurableException;
import dev.durable.internal.text.Thrown;

/**
 * Thrown where the database refused to commit the transaction of a transactional activity because of the application's
 * own schema: a deferred trigger or constraint of the application raised the error. It is the failure of the attempt,
 * as if the body had thrown the cause.
 */
public final class BodyRefusedException extends DurableException {
    private static final long serialVersionUID = 1L;

    /**
     *
     * @param cause the failure of the attempt, in a form that may be recorded
     */
    public BodyRefusedException(Exception cause) {
        super(
                "the transaction of an activity was refused at its commit: "
                        + Thrown.of(cause).words(),
                cause);
    }

    /** The failure of the attempt. */
    public Throwable refusal() {
        Throwable cause = getCause();
        return cause == null ? this : cause;
    }
}
