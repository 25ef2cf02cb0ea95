package dev.durable.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An exception as data.
 *
 * @param type its class name
 * @param message its message
 * @param stack its stack, one frame a line, cut to what is useful
 * @param fields the exception's own fields as a JSON object, where its type is to come back as itself
 * @param cause what caused it
 * @param suppressed what it suppressed
 */
public record Failure(
        String type,
        @Nullable String message,
        String stack,
        @Nullable Payload fields,
        @Nullable Failure cause,
        List<Failure> suppressed) {

    public Failure {
        suppressed = List.copyOf(suppressed);
    }

    /** A failure of the engine's own, without a stack. */
    public static Failure of(String type, String message) {
        return new Failure(type, message, "", null, null, List.of());
    }
}
