package dev.durable;

/**
 * What {@link Promise#get()} throws where a coroutine failed with a checked exception: the cause. {@code
 * get(CardDeclined.class)} gives that exception as it is.
 */
public class PromiseFailedException extends DurableException {
    private static final long serialVersionUID = 1L;

    public PromiseFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
