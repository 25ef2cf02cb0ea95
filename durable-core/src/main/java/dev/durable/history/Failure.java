package dev.durable.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An exception as recorded data: type, message, stack, fields, cause and suppressed exceptions.
 *
 * @param type its class name
 * @param message its message
 * @param stack its stack, one frame a line, cut to what is useful
 * @param fields the exception's own fields as a JSON object, where its type is to come back as itself
 * @param cause what caused it
 * @param suppressed what it suppressed
 * @param handler of a run's failure: which handler threw it, {@code signal approve}; null where {@code run} did
 */
public record Failure(
        String type,
        @Nullable String message,
        String stack,
        @Nullable Payload fields,
        @Nullable Failure cause,
        List<Failure> suppressed,
        @Nullable String handler) {

    /** A failure that no handler of a workflow threw. */
    public Failure(
            String type,
            @Nullable String message,
            String stack,
            @Nullable Payload fields,
            @Nullable Failure cause,
            List<Failure> suppressed) {
        this(type, message, stack, fields, cause, suppressed, null);
    }

    public Failure {
        suppressed = List.copyOf(suppressed);
    }

    /** A failure of the engine's own, without a stack. */
    public static Failure of(String type, @Nullable String message) {
        return new Failure(type, message, "", null, null, List.of());
    }

    /** As people read it: type and message, or the type alone. */
    public String typeAndMessage() {
        return message == null ? type : type + ": " + message;
    }

    /** Copies the failure as one that this handler threw. */
    public Failure thrownBy(String thrower) {
        return new Failure(type, message, stack, fields, cause, suppressed, thrower);
    }

    /** Copies the failure with these suppressed ones instead of its own. */
    public Failure withSuppressed(List<Failure> others) {
        return new Failure(type, message, stack, fields, cause, others, handler);
    }

    @Override
    public String toString() {
        return "Failure[" + type + ", message of " + (message == null ? 0 : message.length()) + " characters]";
    }
}
