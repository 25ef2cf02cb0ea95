package dev.durable.client;

/** The state of a run. */
public enum WorkflowStatus {
    RUNNING,
    COMPLETED,
    FAILED,
    TIMED_OUT,
    CANCELLED,
    TERMINATED;

    /** Whether no event can follow any more. */
    public boolean closed() {
        return this != RUNNING;
    }
}
