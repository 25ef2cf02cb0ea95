package dev.durable.store;

/** What a message in an inbox is. The code is what stands in the store. */
public enum MessageKind {
    SIGNAL(1),
    CANCEL(2),
    /** The outcome of an activity that was settled elsewhere: payload is the event's attributes, name its type. */
    ACTIVITY_OUTCOME(3);

    private final int code;

    MessageKind(int code) {
        this.code = code;
    }

    /** The number that stands for it in the store; never changes. */
    public int code() {
        return code;
    }

    /** The kind with this code. */
    public static MessageKind of(int code) {
        for (MessageKind kind : values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        throw new IllegalArgumentException("no message kind " + code + ": written by a newer version of Durable?");
    }
}
