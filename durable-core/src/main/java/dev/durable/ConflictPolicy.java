package dev.durable;

/** The policies of a start that finds an open run of its workflow id. */
public enum ConflictPolicy {
    /** Throws {@link WorkflowAlreadyStartedException}. The default. */
    FAIL,
    /** Gives a handle of the open run; one of another type is refused by {@link WorkflowAlreadyStartedException}. */
    USE_EXISTING,
    /** Terminates the open run and starts this one. */
    TERMINATE_EXISTING
}
