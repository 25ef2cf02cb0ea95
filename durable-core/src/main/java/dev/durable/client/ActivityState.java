package dev.durable.client;

/** The state of an activity that has not ended. */
public enum ActivityState {
    /** Waits for a free worker. */
    READY,
    /** Waits for its time: that of its first attempt, if it was enqueued with a delay, or that of a retry. */
    DELAYED,
    /** A worker runs it. */
    RUNNING,
    /** A dead letter: its attempts, or its workers' crashes, are used up. It waits for an operator, or to be purged. */
    DEAD,
    /** Held by an operator; no worker runs it until it is resumed. */
    PAUSED,
    /** Its body has returned; the holder of its token will complete it. */
    EXTERNAL,
    /** Its attempts are used up and it is not to be given up: it waits for an operator. */
    INCIDENT,
    /** Waits until its limit key lets it through. */
    WAITING;

    /** Returns whether it is a dead letter or an incident, which waits for an operator to resolve it. */
    public boolean isBuried() {
        return this == DEAD || this == INCIDENT;
    }
}
