package dev.durable.client;

/** The state of a run. */
public enum WorkflowStatus {
    RUNNING,
    COMPLETED,
    FAILED,
    TIMED_OUT,
    CANCELLED,
    TERMINATED,
    /** The run closed, and another run of its chain goes on. */
    CONTINUED_AS_NEW;

    /** Returns whether the run is closed: no event can follow. */
    public boolean closed() {
        return this != RUNNING;
    }
}
