package dev.durable.internal.payload;

import dev.durable.RemoteException;
import dev.durable.history.Failure;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Converts one exception, with its causes and suppressed exceptions, to a {@link Failure}. People write exceptions that
 * cause themselves, chains of thousands, messages of megabytes, and getters that throw: all of it must still become an
 * event of reasonable size.
 */
final class FailureEncoder {
    private static final int MAX_DEPTH = 20;
    private static final int MAX_EXCEPTIONS = 60;
    private static final int MAX_SUPPRESSED = 10;

    private final ExceptionFields fields;
    private final NamedTypes named;
    private final ErrorText text;
    private final Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    FailureEncoder(ExceptionFields fields, NamedTypes named, ErrorText text) {
        this.text = text;
        this.fields = fields;
        this.named = named;
    }

    Failure encode(Throwable thrown) {
        return encode(thrown, 1, "");
    }

    /**
     * @param left what is said of exceptions that were left out in front of this one
     */
    private Failure encode(Throwable thrown, int depth, String left) {
        seen.add(thrown);
        Class<? extends Throwable> type = thrown.getClass();
        return new Failure(
                thrown instanceof RemoteException remote ? text.type(remote.type()) : type.getName(),
                left.isEmpty() ? message(thrown) : left + message(thrown),
                ErrorText.stack(StackText.of(safely(thrown::getStackTrace, new StackTraceElement[0]))),
                named.names(type) ? fields.write(thrown, named.namesOf(type)) : null,
                cause(thrown, depth),
                suppressed(thrown, depth));
    }

    private @Nullable Failure cause(Throwable thrown, int depth) {
        Throwable cause = causeOf(thrown);
        if (cause == null || depth < MAX_DEPTH) {
            return cause == null ? null : encodeNext(cause, depth, "");
        }
        Set<Throwable> omitted = Collections.newSetFromMap(new IdentityHashMap<>());
        Throwable root = cause;
        for (Throwable next = cause; next != null && omitted.add(next); next = causeOf(next)) {
            root = next;
        }
        return encodeNext(root, depth, omitted.size() == 1 ? "" : "(" + (omitted.size() - 1) + " causes left out) ");
    }

    private List<Failure> suppressed(Throwable thrown, int depth) {
        return depth >= MAX_DEPTH
                ? List.of()
                : Arrays.stream(thrown.getSuppressed())
                        .limit(MAX_SUPPRESSED)
                        .map(s -> encodeNext(s, depth, ""))
                        .toList();
    }

    private Failure encodeNext(Throwable next, int depth, String left) {
        if (seen.contains(next)) {
            return Failure.of(next.getClass().getName(), "(the same exception as above)");
        }
        return seen.size() >= MAX_EXCEPTIONS
                ? Failure.of(next.getClass().getName(), "(cut here: more than " + MAX_EXCEPTIONS + " exceptions)")
                : encode(next, depth + 1, left);
    }

    private static @Nullable Throwable causeOf(Throwable thrown) {
        return safely(thrown::getCause, null);
    }

    private @Nullable String message(Throwable thrown) {
        String message = safely(thrown::getMessage, "(getMessage() itself failed)");
        String own = message != null && thrown instanceof RemoteException remote ? original(remote) : message;
        return own == null ? null : text.message(own);
    }

    /** A failure that passes through several hands keeps its message: the type is not put in front of it again and again. */
    private static @Nullable String original(RemoteException remote) {
        String message = remote.getMessage();
        String prefix = remote.type() + ": ";
        return message == null || !message.startsWith(prefix) ? null : message.substring(prefix.length());
    }

    private static <T extends @Nullable Object> T safely(Supplier<T> getter, T otherwise) {
        try {
            return getter.get();
        } catch (RuntimeException | StackOverflowError e) {
            return otherwise;
        }
    }
}
