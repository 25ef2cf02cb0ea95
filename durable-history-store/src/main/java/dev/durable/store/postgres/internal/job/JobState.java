package dev.durable.store.postgres.internal.job;

/** Where an activity job stands, and the code that stands for it in its row. Codes never change. */
public enum JobState {
    READY(0),
    DELAYED(1),
    RUNNING(2),
    DEAD(3),
    /** Held by an operator; claimed by nobody. */
    PAUSED(4),
    /** Left to the holder of its token. */
    EXTERNAL(5),
    /** Used up, and not to be given up. */
    INCIDENT(6),
    /** Until its limit key lets it through. */
    WAITING(7);

    private static final JobState[] STATES = values();

    private final short code;

    JobState(int code) {
        this.code = (short) code;
    }

    public short code() {
        return code;
    }

    /** Whether an attempt is under way, here or elsewhere. */
    public boolean isLeased() {
        return this == RUNNING || this == EXTERNAL;
    }

    /** Whether it waits for an operator to say what becomes of it. */
    boolean isBuried() {
        return this == DEAD || this == INCIDENT;
    }

    public static JobState of(int code) {
        return STATES[code];
    }
}
