package dev.durable;

import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A run of this workflow id is open, or the reuse policy refuses another one after the latest. */
public class WorkflowAlreadyStartedException extends DurableException {
    private static final long serialVersionUID = 1L;

    private final @Nullable String workflowId;
    private final @Nullable UUID runId;

    public WorkflowAlreadyStartedException(String message) {
        this(message, null, null);
    }

    public WorkflowAlreadyStartedException(String message, @Nullable Throwable cause) {
        super(message, cause);
        this.workflowId = null;
        this.runId = null;
    }

    /**
     * Names the id and the run that are in the way, for programs.
     *
     * @param workflowId the id that is in use
     * @param runId the run that has it
     */
    public WorkflowAlreadyStartedException(String message, @Nullable String workflowId, @Nullable UUID runId) {
        super(message);
        this.workflowId = workflowId;
        this.runId = runId;
    }

    /** The id that is in use. */
    public Optional<String> workflowId() {
        return Optional.ofNullable(workflowId);
    }

    /** The run that has the id: the open one, or the latest that has closed. */
    public Optional<UUID> runId() {
        return Optional.ofNullable(runId);
    }
}
