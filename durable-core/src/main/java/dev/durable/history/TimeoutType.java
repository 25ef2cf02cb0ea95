package dev.durable.history;

/** Which timeout of an activity ran out. */
public enum TimeoutType {
    SCHEDULE_TO_START,
    START_TO_CLOSE,
    SCHEDULE_TO_CLOSE,
    HEARTBEAT,
    /** Nobody had begun it by the time that was said when it was enqueued. */
    EXPIRY
}
