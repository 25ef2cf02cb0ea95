package dev.durable.client;

/** The stage of an update for which the call that starts it waits. */
public enum WaitFor {
    /**
     * The update is durable in the run's inbox, to be judged when the run is next fed. The call returns although the run
     * is paused, stalled, or not served by any worker; {@link UpdateHandle#result(java.time.Duration)} says which.
     */
    SENT,
    /** The validator has let the update through and its acceptance is durable; the handler may still run. */
    ACCEPTED,
    /** The handler has returned or thrown, and its answer is durable. */
    COMPLETED
}
