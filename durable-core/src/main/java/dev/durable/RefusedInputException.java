package dev.durable;

/**
 * An id, a name, a reason, headers, a memo, a time or the size of a page that a caller passed is outside its bounds, which
 * {@code docs/limits.md} lists. Nothing was written. Usual cause: text from outside that was taken as it came, so a web
 * application answers with 400.
 */
public class RefusedInputException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public RefusedInputException(String message) {
        super(message);
    }
}
