package dev.durable.micrometer;

import dev.durable.RemoteException;
import dev.durable.client.ErrorSanitizer;
import dev.durable.store.Bounds;

/** Exceptions as spans may have them where no engine masks them: by itself, of the default sanitizer's messages. */
final class MaskedExceptions {
    private static final int MOST = 4_000;

    private MaskedExceptions() {}

    /** Type, message and stack; causes and suppressed exceptions are left out. */
    static Throwable of(Throwable thrown) {
        String message;
        StackTraceElement[] stack;
        try {
            String own = thrown.getMessage();
            message = own == null ? null : ErrorSanitizer.DEFAULT.sanitize(Bounds.lines(Bounds.cut(own, MOST)));
            stack = thrown.getStackTrace();
        } catch (RuntimeException | Error e) {
            message = "(its message can't be read)";
            stack = new StackTraceElement[0];
        }
        Throwable masked = new RemoteException(thrown.getClass().getName(), message, null);
        masked.setStackTrace(stack);
        return masked;
    }
}
