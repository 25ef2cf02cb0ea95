package dev.durable.spring;

import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.payload.PayloadCodec;

/**
 * Exceptions of the application, of pools and of drivers as they may be logged where no engine masks them: with types, stacks
 * and causes, and with messages as the default {@link dev.durable.client.ErrorSanitizer} leaves them.
 */
public final class Masked {
    private static final FailureCodec FAILURES = new FailureCodec(new PayloadCodec(PayloadCodec.DEFAULT_MAX_BYTES));

    private Masked() {}

    /** The exception as it may be logged. */
    public static Throwable exception(Throwable thrown) {
        return FAILURES.loggable(thrown);
    }

    /** A message as it may be shown: on one line of the log. */
    public static String text(String message) {
        return dev.durable.internal.text.Bounds.lines(FAILURES.recordable(message));
    }
}
