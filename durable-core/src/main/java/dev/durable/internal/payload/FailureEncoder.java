package dev.durable.internal.payload;

import dev.durable.RemoteException;
import dev.durable.history.Failure;
import dev.durable.history.Payload;
import dev.durable.internal.text.Thrown;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Converts one exception, with its causes and suppressed exceptions, to a {@link Failure}. There are exceptions that
 * cause themselves, chains of thousands, messages of megabytes, and getters that throw: each must still become an event
 * of reasonable size.
 */
final class FailureEncoder {
    private static final int MAX_DEPTH = 20;
    private static final int MAX_EXCEPTIONS = 60;
    private static final int MAX_SUPPRESSED = 10;
    /** The most causes that are counted, as an exception may return a new cause at each call. */
    private static final int MAX_OMITTED = 10_000;

    private final ExceptionFields fields;
    private final NamedTypes named;
    private final ErrorText text;
    private final Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    FailureEncoder(ExceptionFields fields, NamedTypes named, ErrorText text) {
        this.text = text;
        this.fields = fields;
        this.named = named;
    }

    /** Encodes an exception; where even that fails, its type and the error that came in between. */
    Failure encode(Throwable thrown) {
        try {
            return encode(thrown, 1, "");
        } catch (Throwable e) {
            return Failure.of(
                    thrown.getClass().getName(),
                    "(this exception can't be described: that failed with "
                            + e.getClass().getName() + ")");
        }
    }

    /**
     * @param left the text about exceptions that were left out in front of this one
     */
    private Failure encode(Throwable thrown, int depth, String left) {
        seen.add(thrown);
        Thrown read = Thrown.of(thrown);
        Class<? extends Throwable> type = thrown.getClass();
        String name = thrown instanceof RemoteException remote
                ? read.read("type", () -> text.type(remote.type()), type.getName())
                : type.getName();
        String message = message(thrown, read);
        String stack = ErrorText.stack(StackText.of(read.stack()));
        List<String> superclasses = thrown instanceof RemoteException remote
                ? remote.superclasses().stream().map(text::type).toList()
                : NamedTypes.superclasses(type);
        Payload own = named.names(type)
                ? read.read("the reader of its fields", () -> fields.write(thrown, superclasses), null)
                : ExceptionFields.none(superclasses);
        Failure cause = cause(read.cause(), depth);
        List<Failure> suppressed = depth >= MAX_DEPTH ? List.of() : suppressed(read.suppressed(), depth);
        return new Failure(name, said(left, read.unread(), message), stack, own, cause, suppressed);
    }

    /** Returns the notes in front of the message, which may be long, so that no cut takes them away. */
    private static @Nullable String said(String left, String unread, @Nullable String message) {
        String before = unread.isEmpty() ? left : left + "(not all of this exception can be read: " + unread + ") ";
        return before.isEmpty() ? message : (before + (message == null ? "" : message)).strip();
    }

    private @Nullable Failure cause(@Nullable Throwable cause, int depth) {
        if (depth > MAX_DEPTH && cause != null) {
            return Failure.of(cause.getClass().getName(), "(cut here: more causes than anybody would count)");
        }
        if (cause == null || depth < MAX_DEPTH) {
            return cause == null ? null : encodeNext(cause, depth, "");
        }
        Set<Throwable> omitted = Collections.newSetFromMap(new IdentityHashMap<>());
        Throwable root = cause;
        for (Throwable next = cause;
                next != null && omitted.size() < MAX_OMITTED && omitted.add(next);
                next = Thrown.of(next).cause()) {
            root = next;
        }
        return encodeNext(root, depth, omitted.size() == 1 ? "" : "(" + (omitted.size() - 1) + " causes left out) ");
    }

    private List<Failure> suppressed(List<Throwable> suppressed, int depth) {
        return suppressed.stream()
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

    private @Nullable String message(Throwable thrown, Thrown read) {
        String message = read.message();
        String own = message != null && thrown instanceof RemoteException remote ? original(remote, message) : message;
        return own == null ? null : text.message(own);
    }

    /** Returns the original message of a failure that is recorded again, without its type in front of it. */
    private static @Nullable String original(RemoteException remote, String message) {
        String prefix = remote.type() + ": ";
        return message.startsWith(prefix) ? message.substring(prefix.length()) : null;
    }
}
