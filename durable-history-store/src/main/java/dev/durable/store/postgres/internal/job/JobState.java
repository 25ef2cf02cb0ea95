package dev.durable.store.postgres.internal.job;

/** The states of an activity job, each with the code that is stored in its row. Codes never change. */
public enum JobState {
    READY(0),
    DELAYED(1),
    RUNNING(2),
    DEAD(3),
    /** Paused by an operator; no worker claims it. */
    PAUSED(4),
    /** Left to the holder of its token. */
    EXTERNAL(5),
    /** Exhausted, and not purged like a dead letter. */
    INCIDENT(6),
    /** Waiting until its limit key lets it through. */
    WAITING(7);

    private static final JobState[] STATES = values();

    private final short code;

    JobState(int code) {
        this.code = (short) code;
    }

    public short code() {
        return code;
    }

    /** Returns whether an attempt is under way, in this or another process. */
    public boolean isLeased() {
        return this == RUNNING || this == EXTERNAL;
    }

    /** Returns whether the job waits for the decision of an operator. */
    boolean isBuried() {
        return this == DEAD || this == INCIDENT;
    }

    public static JobState of(int code) {
        return STATES[code];
    }
}
