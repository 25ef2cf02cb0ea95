package dev.durable.store.postgres;

/** Where an activity job stands. The ordinal is what stands in its row; the order never changes. */
enum JobState {
    READY,
    DELAYED,
    RUNNING,
    DEAD,
    /** Held by an operator; claimed by nobody. */
    PAUSED,
    /** Left to the holder of its token. */
    EXTERNAL;

    private static final JobState[] STATES = values();

    static JobState of(int code) {
        return STATES[code];
    }
}
