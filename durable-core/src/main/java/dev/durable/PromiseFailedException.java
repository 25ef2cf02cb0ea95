package dev.durable;

/**
 * Thrown by {@link Promise#get()} where a coroutine failed with a checked exception, which is its cause. {@code
 * get(CardDeclined.class)} gives that exception as it is.
 */
public class PromiseFailedException extends DurableException {
    private static final long serialVersionUID = 1L;

    public PromiseFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
