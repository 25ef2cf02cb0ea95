package dev.durable;

import dev.durable.client.WorkflowStatus;

/**
 * A child was not started: a run of its workflow id is open, its reuse policy allows no other, or the database refused its
 * row.
 */
public class ChildNotStartedException extends ChildFailedException {
    private static final long serialVersionUID = 1L;

    public ChildNotStartedException(String message, String workflowId, String workflowType) {
        super(message, workflowId, workflowType, WorkflowStatus.FAILED, null, null);
    }
}
