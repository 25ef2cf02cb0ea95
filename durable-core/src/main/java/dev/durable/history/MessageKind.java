package dev.durable.history;

/** The kinds of messages in an inbox, each with the code that is stored. */
public enum MessageKind {
    SIGNAL(1),
    CANCEL(2),
    /** The outcome of an activity that was reported to the inbox: payload is the event's attributes, name its type. */
    ACTIVITY_OUTCOME(3),
    /** An update: payload is the {@link UpdateAccepted} that it becomes, name the handler's. */
    UPDATE(4),
    /**
     * A kind that this version does not know. It is only read, never written: a run with such a message stalls until a
     * worker of a version that knows the kind has claimed it.
     */
    UNKNOWN(0);

    private final int code;

    MessageKind(int code) {
        this.code = code;
    }

    /** Returns whether a run may consume such a message without an event, though it has not seen it before. */
    public boolean mayBeRejected() {
        return this == UPDATE;
    }

    public int code() {
        return code;
    }

    /** The kind with this code; {@link #UNKNOWN} for one that a newer version, or an operator by hand, has written. */
    public static MessageKind of(int code) {
        for (MessageKind kind : values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        return UNKNOWN;
    }
}
