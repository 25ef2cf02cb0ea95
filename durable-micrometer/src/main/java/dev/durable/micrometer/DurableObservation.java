package dev.durable.micrometer;

/** The kinds of Micrometer observations that {@link DurableTracing} makes. {@code docs/observability.md} has their attributes. */
public enum DurableObservation {
    /** A client starts a run, a background job or a batch. */
    START("durable.start"),
    /** A client sends a signal. */
    SIGNAL("durable.signal"),
    /** A worker makes a turn of a run for the first time. */
    TURN("durable.turn"),
    /** A turn schedules an activity. */
    SCHEDULE("durable.schedule"),
    /** A worker runs an attempt of an activity. */
    ACTIVITY("durable.activity");

    private final String observationName;

    DurableObservation(String observationName) {
        this.observationName = observationName;
    }

    /** The name of its timers; spans have a name that says more. */
    public String observationName() {
        return observationName;
    }
}
