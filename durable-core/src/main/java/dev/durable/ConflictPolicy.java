package dev.durable;

/** What a start does when a run of the same workflow id is open. */
public enum ConflictPolicy {
    /** Throws {@link WorkflowAlreadyStartedException}. The default. */
    FAIL,
    /** Gives a handle of the open run; one of another type is refused by {@link WorkflowAlreadyStartedException}. */
    USE_EXISTING,
    /** Terminates the open run and starts this one. */
    TERMINATE_EXISTING
}
