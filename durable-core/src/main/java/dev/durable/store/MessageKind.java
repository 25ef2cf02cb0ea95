package dev.durable.store;

/** The kinds of messages in an inbox, with the code that is stored. The code is what stands in the store. */
public enum MessageKind {
    SIGNAL(1),
    CANCEL(2),
    /** The outcome of an activity that was settled elsewhere: payload is the event's attributes, name its type. */
    ACTIVITY_OUTCOME(3),
    /** Any that this version does not know. It is read only: the run that has it stalls until somebody knows it. */
    UNKNOWN(0);

    private final int code;

    MessageKind(int code) {
        this.code = code;
    }

    /** The number that stands for it in the store; never changes. */
    public int code() {
        return code;
    }

    /** The kind with this code; {@link #UNKNOWN} where a newer version, or somebody by hand, has written another. */
    public static MessageKind of(int code) {
        for (MessageKind kind : values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        return UNKNOWN;
    }
}
