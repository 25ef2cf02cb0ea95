package dev.durable;

import org.jspecify.annotations.Nullable;

/** No run with this workflow id or run id exists, or it is closed and can take no more messages. */
public class WorkflowNotFoundException extends DurableException {
    private static final long serialVersionUID = 1L;

    public WorkflowNotFoundException(String message) {
        super(message);
    }

    public WorkflowNotFoundException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
