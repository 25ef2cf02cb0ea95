package dev.durable;

/** A reason for which a run should continue as new. It follows from the history, so it is the same on replay. */
public enum ContinueAsNewReason {
    /** The history has more than 10,000 events. */
    HISTORY_EVENTS,
    /** The texts of the history's events (arguments, results, failures) have more than 20 million characters. */
    HISTORY_BYTES
}
