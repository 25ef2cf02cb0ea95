package dev.durable.internal.payload;

import static java.util.stream.Collectors.joining;

import dev.durable.PayloadException;
import dev.durable.history.Payload;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.exc.InvalidTypeIdException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/** The error texts about payloads that can't be written or read. */
final class PayloadErrors {
    private static final String SMALLER =
            "Store it elsewhere (a table, an object store) and pass a reference, or raise builder.maxPayloadBytes(…), in Spring durable.max-payload-size: every replay reads it again.";

    private static final String NEW_TYPE =
            "let the new one read the old data (@JsonAlias for another name, @JsonCreator for another shape, a new property instead of another type for an old one)";

    /** The way out for data of a history, which can't be changed any more. */
    static final Supplier<String> OLD_DATA = () -> "Usually the type has changed since it was written: " + NEW_TYPE
            + ", or keep both behind Durable.version(…).";

    /** The way out for arguments, which are read before the code that takes them begins. */
    static final Supplier<String> OLD_ARGUMENTS =
            () -> "If the type has changed since it was written, " + NEW_TYPE + ".";

    /** The way out for arguments whose types their sender has chosen, and the code on demand. */
    static final Supplier<String> SENDERS_TYPE =
            () -> "Usually its sender has sent another type under that name: read it as what was sent, or catch the"
                    + " PayloadException where strangers may send.";

    private static final Pattern IN_QUOTES = Pattern.compile("(?s)(?<!property )(\"|').*\\1");
    private static final Pattern IN_BRACKETS = Pattern.compile("(value ?)\\((?!token)[^)]*+\\)?");

    private PayloadErrors() {}

    static PayloadException tooLarge(String what, long bytes, int limit) {
        return new PayloadException(
                String.format(Locale.ROOT, "%s is %,d bytes, the limit is %,d. %s", what, bytes, limit, SMALLER));
    }

    static PayloadException tooLargeTogether(String what, long bytes, int limit) {
        return new PayloadException(String.format(
                Locale.ROOT,
                "the arguments of %s are %,d bytes together, the limit is %,d. %s",
                what,
                bytes,
                limit,
                SMALLER));
    }

    static PayloadException unwritable(String what, Type type, RuntimeException cause) {
        return new PayloadException(
                "%s can't be written as JSON of type %s: %s%s. %s"
                        .formatted(what, type.getTypeName(), path(cause), reason(cause), wayOut(cause)),
                cause);
    }

    private static String wayOut(RuntimeException cause) {
        if (cause instanceof DeclaredTypeCheck.OtherType other) {
            return other.wayOut;
        }
        if (cause instanceof ClassCastException || Thrown.of(cause).cause() instanceof ClassCastException) {
            return "Something else stands in it than its type says, which a raw type or an unchecked cast allows: pass what is declared, or declare what is passed.";
        }
        return "Write a type whose properties are visible (a record, a bean), leave the property out with @JsonIgnore, or teach the mapper through builder.jsonMapper(…).";
    }

    static PayloadException unsuitable(String what, Type type, String problem) {
        return new PayloadException("%s is declared as %s, which could be written but not read back: %s"
                .formatted(what, type.getTypeName(), problem));
    }

    /**
     * Describes a value that the declared type does not even allow; reflection, a call by name, or unchecked generics
     * can pass one.
     */
    static PayloadException otherType(String what, Type type, Object value) {
        return new PayloadException("%s is a %s, and %s is declared: pass a value of that type."
                .formatted(what, value.getClass().getTypeName(), type.getTypeName()));
    }

    static PayloadException unreadable(
            String what, Type type, Payload payload, Supplier<String> wayOut, RuntimeException cause) {
        return PayloadException.ofStored(
                "%s can't be read as %s: %s%s. What is stored: %s. %s"
                        .formatted(what, type.getTypeName(), path(cause), reason(cause), payload, wayOut.get()),
                withoutValues(cause));
    }

    static PayloadException nullForPrimitive(String what, Type type) {
        return new PayloadException("%s is null, and %s can't be. Declare it as the wrapper type, or pass a value."
                .formatted(what, type.getTypeName()));
    }

    static PayloadException missing(String what, Type type, int present) {
        return PayloadException.ofStored(
                "%s is missing: %d were written, and %s has no null. Usually the parameter was added while calls were under way: declare it as the wrapper type and take null for absent."
                        .formatted(what, present, type.getTypeName()),
                null);
    }

    /** Describes an argument that the code asks for by its number and that was not sent. */
    static PayloadException notSent(String message, int index, int sent) {
        return PayloadException.ofStored(
                "get(%d, …) asks for argument %d of %s, which has %d. Usually its sender has left it out: ask size() first, or catch the PayloadException where strangers may send."
                        .formatted(index, index + 1, message, sent),
                null);
    }

    static PayloadException noArguments(MethodSpec method, Payload payload) {
        return PayloadException.ofStored(
                "the arguments of %s are no JSON array, but %s".formatted(method.name(), payload), null);
    }

    static PayloadException wrongCount(MethodSpec method, int given) {
        return new PayloadException("%s takes %d arguments and was given %d"
                .formatted(method.name(), method.parameterTypes().size(), given));
    }

    static PayloadException otherCount(MethodSpec method, Payload payload) {
        return PayloadException.ofStored(
                "%s takes %d arguments here, and another number is stored: %s. Usually a parameter was added or removed while calls were under way, and another version of the code wrote or reads them; exactArguments() refuses what would be null or dropped."
                        .formatted(method.name(), method.parameterTypes().size(), payload),
                null);
    }

    /** Returns the name of an argument: {@code argument 2 (receipt) of Payments.charge}. */
    static String argument(MethodSpec method, int index) {
        return "argument %d%s of %s".formatted(index + 1, parameterName(method, index), method.name());
    }

    private static String parameterName(MethodSpec method, int index) {
        Parameter[] parameters = method.method().getParameters();
        return index < parameters.length && parameters[index].isNamePresent()
                ? " (" + parameters[index].getName() + ")"
                : "";
    }

    private static String path(RuntimeException cause) {
        if (!(cause instanceof DatabindException e) || e.getPath().isEmpty()) {
            return "";
        }
        String path = e.getPath().stream().map(PayloadErrors::step).collect(joining());
        return "at " + (path.startsWith(".") ? path.substring(1) : path) + ": ";
    }

    private static String step(JacksonException.Reference reference) {
        return reference.getPropertyName() == null
                ? "[" + reference.getIndex() + "]"
                : "." + name(reference.getPropertyName());
    }

    /** Returns a name for the error; keys of maps and unknown properties may be any text. */
    private static String name(String property) {
        return Bounds.shown(Bounds.cutWithMark(property, Bounds.NAME));
    }

    private static @Nullable String reason(RuntimeException e) {
        if (e instanceof StreamConstraintsException) {
            return Thrown.of(e).words() + " (does it contain itself?)";
        }
        if (e instanceof JacksonException jackson) {
            return withoutValues(jackson);
        }
        String message = Thrown.of(e).message();
        return message == null ? Thrown.of(e).text() : message;
    }

    /**
     * Returns Jackson's message without the values that it quotes: texts are in quotes, numbers in brackets; names of
     * properties and types stay.
     */
    private static String withoutValues(JacksonException e) {
        String text = String.valueOf(e.getOriginalMessage());
        if (e instanceof UnrecognizedPropertyException unknown) {
            return text.replace(unknown.getPropertyName(), name(unknown.getPropertyName()));
        }
        if (e instanceof InvalidTypeIdException unknown) {
            String id = unknown.getTypeId();
            return id == null || id.isEmpty() ? text : text.replace(id, name(id));
        }
        int problem = text.indexOf(", problem: ");
        String itsOwn = problem < 0 ? text : text.substring(0, problem);
        return IN_BRACKETS
                        .matcher(IN_QUOTES.matcher(itsOwn).replaceAll("$1…$1"))
                        .replaceAll("$1(…)")
                + text.substring(itsOwn.length());
    }

    /**
     * Returns Jackson's exception as a cause without values, with its stack, and with the exception of an application's
     * own constructor behind it.
     */
    private static RuntimeException withoutValues(RuntimeException cause) {
        if (!(cause instanceof JacksonException jackson)) {
            return cause;
        }
        Throwable behind = Thrown.of(cause)
                .chain()
                .dropWhile(JacksonException.class::isInstance)
                .findFirst()
                .orElse(null);
        PayloadException shown = new PayloadException(withoutValues(jackson), behind);
        shown.setStackTrace(Thrown.of(cause).stack());
        return shown;
    }
}
