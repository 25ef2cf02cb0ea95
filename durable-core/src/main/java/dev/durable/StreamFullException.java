package dev.durable;

/**
 * A stream takes no more entries of activities, as it has reached its limit. An activity that fails with it is not
 * retried, since another attempt would fail like this one.
 */
public final class StreamFullException extends NonRetryableException {
    private static final long serialVersionUID = 1L;

    public StreamFullException(String message) {
        super(message);
    }
}
