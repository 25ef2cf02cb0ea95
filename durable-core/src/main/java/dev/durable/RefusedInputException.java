package dev.durable;

/**
 * A value that a caller passed can't be taken: an id, a name, a reason, headers, a memo, a time or the size of a page outside
 * its bounds, which {@code docs/limits.md} lists; a time that has passed; a token, a signal, a queue or a type that
 * does not exist. Nothing was written. Usual cause: text from outside that was taken as it came, so a web application
 * answers with 400.
 */
public class RefusedInputException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public RefusedInputException(String message) {
        super(message);
    }

    public RefusedInputException(String message, Throwable cause) {
        super(message, cause);
    }
}
