package dev.durable.internal.payload;

import dev.durable.PayloadException;
import dev.durable.history.Failure;
import dev.durable.history.Payload;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Creates an exception from recorded data without running a constructor of its class, whose parameters and effects are
 * unknown. Only Throwable's constructor (message, cause) runs, or that of a class of the JDK with the recorded state:
 * without it an exception silently has no message and keeps no suppressed exceptions.
 */
final class Rebuilt {
    private static final String PROBE = "\uE000\uE001\uE000";

    private Rebuilt() {}

    /** Returns the exception as it was thrown; null where that can't be done. */
    static @Nullable Throwable of(
            Class<? extends Throwable> type, Failure failure, @Nullable Throwable cause, ExceptionFields fields) {
        try {
            Throwable exception = make(type, failure.message(), failure, cause, fields);
            String message = exception.getMessage();
            return Objects.equals(message, failure.message())
                    ? exception
                    : make(type, rawMessage(type, failure, fields), failure, cause, fields);
        } catch (Throwable e) {
            return null;
        }
    }

    private static Throwable make(
            Class<? extends Throwable> type,
            @Nullable String message,
            Failure failure,
            @Nullable Throwable cause,
            ExceptionFields fields)
            throws ReflectiveOperationException {
        Payload written = failure.fields();
        Throwable exception = withCause(type, message, cause, fields, written);
        List<String> lost = written == null ? List.of() : fields.restore(exception, written);
        if (!lost.isEmpty()) {
            exception.addSuppressed(new PayloadException(
                    "fields of %s that did not travel with it: %s. Make them serialisable, or transient if they are not needed."
                            .formatted(failure.type(), String.join(", ", lost))));
        }
        return exception;
    }

    /**
     * Sets the cause. Some classes cast their cause to the class with which they were constructed, and fail with one
     * that arrived as data.
     */
    private static Throwable withCause(
            Class<? extends Throwable> type,
            @Nullable String message,
            @Nullable Throwable cause,
            ExceptionFields fields,
            @Nullable Payload written)
            throws ReflectiveOperationException {
        Throwable exception = fields.create(type, message, cause, written);
        if (cause == null || shows(exception, cause)) {
            return exception;
        }
        Throwable bare = fields.create(type, message, null, written);
        bare.addSuppressed(cause);
        return bare;
    }

    @SuppressWarnings("ReferenceEquality") // equals would be the application's
    private static boolean shows(Throwable exception, Throwable cause) {
        try {
            return cause == exception.getCause();
        } catch (ClassCastException e) {
            return false;
        }
    }

    /**
     * Returns the message that the constructor was given, where getMessage() adds a text, by comparing the results for
     * two messages.
     */
    private static @Nullable String rawMessage(Class<? extends Throwable> type, Failure failure, ExceptionFields fields)
            throws ReflectiveOperationException {
        String message = failure.message();
        String probed = make(type, PROBE, failure, null, fields).getMessage();
        if (message == null || probed == null || !probed.contains(PROBE)) {
            return message;
        }
        int at = probed.indexOf(PROBE);
        String before = probed.substring(0, at);
        String after = probed.substring(at + PROBE.length());
        return message.startsWith(before)
                        && message.endsWith(after)
                        && message.length() >= before.length() + after.length()
                ? message.substring(before.length(), message.length() - after.length())
                : message;
    }
}
