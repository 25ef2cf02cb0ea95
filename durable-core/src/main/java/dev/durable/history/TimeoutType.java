package dev.durable.history;

/** Which timeout of an activity ran out. */
public enum TimeoutType {
    SCHEDULE_TO_START,
    START_TO_CLOSE,
    SCHEDULE_TO_CLOSE,
    HEARTBEAT,
    /** No worker had begun it by the time that was set when it was enqueued. */
    EXPIRY
}
