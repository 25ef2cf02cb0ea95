package dev.durable.history;

/**
 * The kinds of messages in an inbox and of rows in an outbox, each with the code that is stored. The orders among them
 * ({@link #CHILD_START}, {@link #CHILD_WATCH}, {@link #CHILD_TERMINATE}, {@link #PARENT_CLOSED}) stand in an outbox only.
 */
public enum MessageKind {
    SIGNAL(1),
    CANCEL(2),
    /** The outcome of an activity that was reported to the inbox: payload is the event's attributes, name its type. */
    ACTIVITY_OUTCOME(3),
    /** An update: payload is the {@link UpdateAccepted} that it becomes, name the handler's. */
    UPDATE(4),
    /** News of a child for its parent: payload is the attributes of a {@link HistoryEvent.OfChild}, name its type. */
    CHILD_OUTCOME(5),
    /** The order to start a child: name is its workflow type, payload a {@link dev.durable.store.ChildStart}. */
    CHILD_START(6),
    /** The order to tell the sender, which is the parent, that the child of this target is started. */
    CHILD_WATCH(7),
    /** The order to terminate a child. */
    CHILD_TERMINATE(8),
    /** The order to apply the parent-close policies of the open children of a chain that has ended. */
    PARENT_CLOSED(9),
    /** News of a callback: payload is the attributes of a {@link HistoryEvent.OfCallback}, name its type. */
    CALLBACK(10),
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

    /**
     * Returns whether a sender was told that the message is accepted, so that the run must see it before it ends. A kind
     * that is not known counts as such: it stalls the run before it is fed.
     */
    public boolean isFromSender() {
        return switch (this) {
            case SIGNAL, UPDATE, CANCEL, UNKNOWN -> true;
            case ACTIVITY_OUTCOME, CHILD_OUTCOME, CALLBACK -> false;
            case CHILD_START, CHILD_WATCH, CHILD_TERMINATE, PARENT_CLOSED -> false;
        };
    }

    /** Returns whether a run does not close while such a message waits in its inbox. */
    public boolean refusesClose() {
        return this == ACTIVITY_OUTCOME || this == CALLBACK || isFromSender();
    }

    /** Returns whether the message counts for the limit of an inbox, and for the messages that a close drops. */
    public boolean countsForLimit() {
        return refusesClose();
    }

    /** Returns whether a run that is about to close, or whose inbox is full, takes such a message all the same. */
    public boolean isLetInWhileClosing() {
        return this == ACTIVITY_OUTCOME || this == CHILD_OUTCOME;
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
