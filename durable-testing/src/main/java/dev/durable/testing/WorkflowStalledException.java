package dev.durable.testing;

import dev.durable.DurableException;

/**
 * A workflow can't go on with the code that is registered, and what a test waited for will not come: its message is what
 * the run says in {@code describe().stalledBy()}. The run stays open and is tried again when time moves.
 */
public final class WorkflowStalledException extends DurableException {
    private static final long serialVersionUID = 1L;

    private final String workflowId;

    WorkflowStalledException(String workflowId, String why) {
        super(why);
        this.workflowId = workflowId;
    }

    /** Of a run that stalls when its history is replayed. */
    WorkflowStalledException(String workflowId, RuntimeException stall) {
        super(stall.getMessage() == null ? stall.toString() : stall.getMessage(), stall);
        this.workflowId = workflowId;
    }

    /** The workflow id of the run that stalls. */
    public String workflowId() {
        return workflowId;
    }
}
