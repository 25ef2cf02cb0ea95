package dev.durable;

/** Where an activity that has not ended stands. */
public enum ActivityState {
    /** Waits for a free worker. */
    READY,
    /** Waits for the time of its next attempt. */
    DELAYED,
    /** A worker runs it. */
    RUNNING,
    /** Its workers died more often than allowed: it waits for an operator. */
    DEAD,
    /** Held by an operator until it is resumed; nobody runs it. */
    PAUSED,
    /** Its body has returned; it waits for whoever has its token. */
    EXTERNAL
}
