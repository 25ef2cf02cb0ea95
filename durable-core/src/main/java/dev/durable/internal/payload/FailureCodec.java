package dev.durable.internal.payload;

import dev.durable.RemoteException;
import dev.durable.client.ErrorSanitizer;
import dev.durable.history.Failure;
import dev.durable.history.FailureJson;
import dev.durable.history.Payload;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Converts exceptions to {@link Failure} records and back. Thread-safe. Neither direction ever fails: an incomplete
 * failure is better than one that hides another.
 */
public final class FailureCodec {
    private final ExceptionFields fields;
    private final ErrorText text;

    /** Creates a codec with the sanitizer that is on by default. */
    public FailureCodec(PayloadCodec payloads) {
        this(payloads, ErrorSanitizer.DEFAULT);
    }

    /**
     * @param sanitizer masks secrets in every message that is encoded
     */
    public FailureCodec(PayloadCodec payloads, ErrorSanitizer sanitizer) {
        this.text = new ErrorText(sanitizer);
        this.fields = new ExceptionFields(payloads, text);
    }

    /**
     * Encodes an exception: type, message, stack, causes and suppressed exceptions, each cut to a useful size.
     *
     * @param thrown the exception
     * @param named the types that come back as instances of their class, subclasses included; their fields are written
     *     too. Throwable, Exception, RuntimeException and Error stand only for themselves
     */
    public Failure encode(Throwable thrown, Collection<Class<? extends Throwable>> named) {
        return new FailureEncoder(fields, new NamedTypes(named), text).encode(thrown);
    }

    /**
     * Decodes an exception: as an instance of its class where that is a named type, else as a {@link RemoteException};
     * with the stack of the original, and with its causes and suppressed exceptions, decoded in this way, too.
     *
     * @param failure the encoded exception
     * @param named the types that come back as instances of their class
     * @param loader finds subclasses of the named types; any other class is not initialised
     */
    public Throwable decode(Failure failure, Collection<Class<? extends Throwable>> named, ClassLoader loader) {
        return decode(failure, new NamedTypes(named), loader);
    }

    private Throwable decode(Failure failure, NamedTypes named, ClassLoader loader) {
        Failure causedBy = failure.cause();
        Throwable cause = causedBy == null ? null : decode(causedBy, named, loader);
        Throwable decoded = rebuild(failure, named.find(failure, loader), cause);
        Thrown.quietly(() -> decoded.setStackTrace(StackText.parse(failure.stack())));
        failure.suppressed().forEach(s -> decoded.addSuppressed(decode(s, named, loader)));
        return decoded;
    }

    private Throwable rebuild(Failure failure, @Nullable Class<? extends Throwable> type, @Nullable Throwable cause) {
        Throwable itself = type == null ? null : Rebuilt.of(type, failure, cause, fields);
        Payload written = failure.fields();
        return itself == null
                ? new RemoteException(
                        failure.type(),
                        written == null ? List.of() : ExceptionFields.namesIn(written),
                        failure.message(),
                        cause)
                : itself;
    }

    /**
     * Returns whether a signature that names these types declares the failure. Throwable, Exception, RuntimeException
     * and Error declare none.
     */
    public static boolean isDeclared(Failure failure, Collection<Class<? extends Throwable>> named) {
        Set<String> telling = NamedTypes.telling(named);
        Payload fields = failure.fields();
        return telling.contains(failure.type())
                || fields != null && ExceptionFields.namesIn(fields).stream().anyMatch(telling::contains);
    }

    /**
     * Returns a text made of messages of exceptions in the form in which it may be recorded: without secrets, cut to 4
     * KiB.
     */
    public String recordable(String message) {
        return text.message(message);
    }

    /**
     * Returns an exception for the log: its types, stacks, causes and suppressed exceptions, with messages as they may
     * be recorded, none of whose lines can be taken for a line of the log. Messages of an application's exceptions
     * often contain its data; the sanitizer decides how much of it is shown.
     */
    public Throwable loggable(Throwable thrown) {
        return loggable(encode(thrown, List.of()));
    }

    /** Returns an exception for the log for a failure, whose messages may be recorded already. */
    public static Throwable loggable(Failure failure) {
        Failure cause = failure.cause();
        String message = failure.message() == null ? null : Bounds.lines(failure.message());
        // An older release has recorded types of RemoteExceptions without a check.
        RemoteException shown =
                new RemoteException(Bounds.shown(failure.type()), message, cause == null ? null : loggable(cause));
        shown.setStackTrace(StackText.parse(failure.stack()));
        failure.suppressed().forEach(each -> shown.addSuppressed(loggable(each)));
        return shown;
    }

    /** Writes a failure as JSON text. */
    public Payload toJson(Failure failure) {
        return FailureJson.encode(failure);
    }

    /** Reads a failure from its JSON text. */
    public Failure fromJson(String json) {
        return FailureJson.decode(json);
    }
}
