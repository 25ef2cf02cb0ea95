package dev.durable.store;

import dev.durable.DurableException;

/**
 * A transactional activity whose transaction the database refused to commit for the application's own sake: a deferred
 * trigger or constraint of its own raised that. It is the failure of the attempt, as if the body had thrown the cause.
 */
public final class BodyRefusedException extends DurableException {
    private static final long serialVersionUID = 1L;

    /** @param cause what the attempt fails with, as it may be recorded */
    public BodyRefusedException(Exception cause) {
        super(
                "the transaction of an activity was refused at its commit: "
                        + Thrown.of(cause).words(),
                cause);
    }

    /** What the attempt fails with. */
    public Throwable refusal() {
        Throwable cause = getCause();
        return cause == null ? this : cause;
    }
}
