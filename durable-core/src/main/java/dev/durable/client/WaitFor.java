package dev.durable.client;

/** The stage of an update for which the call that starts it waits. */
public enum WaitFor {
    /** The validator has let the update through and its acceptance is durable; the handler may still run. */
    ACCEPTED,
    /** The handler has returned or thrown, and its answer is durable. */
    COMPLETED
}
