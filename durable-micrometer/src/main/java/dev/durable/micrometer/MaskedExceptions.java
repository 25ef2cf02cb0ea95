package dev.durable.micrometer;

import dev.durable.RemoteException;
import dev.durable.client.ErrorSanitizer;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;

/** Exceptions as spans may have them where no engine masks them: by itself, of the default sanitizer's messages. */
final class MaskedExceptions {
    private static final int MOST = 4_000;

    private MaskedExceptions() {}

    /** Type, message and stack; causes and suppressed exceptions are left out. */
    static Throwable of(Throwable thrown) {
        Thrown read = Thrown.of(thrown);
        String own = read.message();
        String said = own == null && !read.unread().isEmpty() ? "(its message can't be read)" : own;
        RemoteException masked = new RemoteException(
                thrown.getClass().getName(),
                said == null ? null : ErrorSanitizer.DEFAULT.sanitize(Bounds.lines(Bounds.cut(said, MOST))),
                null);
        masked.setStackTrace(read.stack());
        return masked;
    }
}
