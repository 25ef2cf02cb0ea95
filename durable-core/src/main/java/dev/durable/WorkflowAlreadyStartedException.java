package dev.durable;

import org.jspecify.annotations.Nullable;

/** A run of this workflow id is open, or the reuse policy refuses another one after the latest. */
public class WorkflowAlreadyStartedException extends DurableException {
    private static final long serialVersionUID = 1L;

    public WorkflowAlreadyStartedException(String message) {
        super(message);
    }

    public WorkflowAlreadyStartedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
