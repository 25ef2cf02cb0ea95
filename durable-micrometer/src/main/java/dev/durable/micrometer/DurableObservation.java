package dev.durable.micrometer;

/** The kinds of Micrometer observations that {@link DurableTracing} makes. {@code docs/observability.md} has their attributes. */
public enum DurableObservation {
    /** A client starts a run, a background job or a batch. */
    START("durable.start", "send"),
    /** A client sends a signal. */
    SIGNAL("durable.signal", "send"),
    /** A client sends an update. */
    UPDATE("durable.update", "send"),
    /** A worker makes a turn of a run for the first time. */
    TURN("durable.turn", "process"),
    /** A turn schedules an activity. */
    SCHEDULE("durable.schedule", "create"),
    /** A turn starts a child. */
    CHILD("durable.child", "create"),
    /** A worker runs an attempt of an activity. */
    ACTIVITY("durable.activity", "process");

    private final String observationName;
    private final String operationType;

    DurableObservation(String observationName, String operationType) {
        this.observationName = observationName;
        this.operationType = operationType;
    }

    /** The name of its timers; spans have a name that says more. */
    public String observationName() {
        return observationName;
    }

    /** OpenTelemetry's {@code messaging.operation.type}. */
    String operationType() {
        return operationType;
    }
}
