package dev.durable;

/** Thrown where a callback is completed, made to fail or extended that has ended otherwise before; nothing was written. */
public class CallbackEndedException extends DurableException {
    private static final long serialVersionUID = 1L;

    /** The end that the callback has. */
    private final How how;

    /** The ways in which a callback ends. */
    public enum How {
        /** It was completed, with another value or by a call that is no repetition of this one. */
        COMPLETED,
        /** It was made to fail. */
        FAILED,
        /** Its time was over. */
        TIMED_OUT,
        /** The workflow has cancelled it, itself or with the coroutine that opened it. */
        CANCELLED,
        /** The run had ended, and did not wait for it any more. */
        RUN_CLOSED
    }

    public CallbackEndedException(String message, How how) {
        super(message);
        this.how = how;
    }

    /** How it has ended. */
    public How how() {
        return how;
    }
}
