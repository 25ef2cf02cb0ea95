package dev.durable.internal.payload;

import dev.durable.EncodedValues;
import dev.durable.PayloadException;
import dev.durable.history.Payload;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.json.JsonObjectWriter;
import dev.durable.internal.text.Bounds;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

/**
 * Converts values to JSON text and back by their declared types; used for all arguments, results and heartbeat details.
 * Immutable and thread-safe; make one and keep it. The documentation of this package has its guarantees and its
 * refusals.
 */
public final class PayloadCodec {
    /** The default of the largest payload: 2 MiB. */
    public static final int DEFAULT_MAX_BYTES = 2 * 1024 * 1024;

    /** The most bytes of a char in UTF-8. */
    private static final int BYTES_PER_CHAR = 3;

    private final int maxBytes;
    private final JsonMapper reader;
    private final JsonMapper writer;
    private volatile @Nullable PayloadCodec recorded;
    private final ConcurrentMap<Type, PayloadType> types = new ConcurrentHashMap<>();

    /** Creates a codec with the default mapper. */
    public PayloadCodec(int maxBytes) {
        this(maxBytes, mapper -> {});
    }

    /**
     * Creates a codec whose mapper the application changes.
     *
     * @param maxBytes the largest payload, in bytes of UTF-8
     * @param customizer gets the builder after this library's settings and before it is built; default typing stays off
     */
    public PayloadCodec(int maxBytes, Consumer<? super JsonMapper.Builder> customizer) {
        this.maxBytes = maxBytes;
        this.reader = PayloadMapper.create(customizer);
        this.writer = PayloadMapper.writerFor(reader, false);
    }

    private PayloadCodec(JsonMapper reader) {
        this.maxBytes = Integer.MAX_VALUE;
        this.reader = reader;
        this.writer = PayloadMapper.writerFor(reader, true);
    }

    /**
     * Returns the codec that writes again the values of a history: also those that only older releases accepted, and of
     * any size. It is made with the first such value.
     */
    public PayloadCodec asRecorded() {
        PayloadCodec made = recorded;
        if (made == null) {
            made = new PayloadCodec(reader);
            recorded = made;
        }
        return made;
    }

    /**
     * Checks the types of a signature, so that types whose values can't be read back are refused before any call.
     *
     * @throws PayloadException if values of a parameter's or the result's type could not be read back
     */
    public void check(MethodSpec method) {
        for (int i = 0; i < method.parameterTypes().size(); i++) {
            type(method.parameterTypes().get(i)).check(argument(method, i));
        }
        type(method.returnType()).check(() -> "the result of " + method.name());
    }

    /** Refuses a type whose values could not be read back. */
    void check(Type type, String what) {
        type(type).check(() -> what);
    }

    /**
     * Returns all errors for which {@link #check} would refuse the signature.
     *
     * @param known the types whose errors are known already
     */
    public List<String> problems(MethodSpec method, Predicate<? super Type> known) {
        List<String> problems = new ArrayList<>();
        for (int i = 0; i < method.parameterTypes().size(); i++) {
            look(method.parameterTypes().get(i), argument(method, i), known, problems);
        }
        look(method.returnType(), () -> "the result of " + method.name(), known, problems);
        return problems;
    }

    private void look(Type type, Supplier<String> what, Predicate<? super Type> known, List<String> problems) {
        if (!known.test(type)) {
            try {
                type(type).check(what);
            } catch (PayloadException e) {
                problems.add(e.getMessage());
            }
        }
    }

    /**
     * Writes the arguments of a call as a JSON array.
     *
     * @throws PayloadException if one can't be written so that it comes back equal, or is too large
     */
    public Payload encodeArguments(MethodSpec method, @Nullable Object[] arguments) {
        List<Type> declared = method.parameterTypes();
        if (declared.size() != arguments.length) {
            throw PayloadErrors.wrongCount(method, arguments.length);
        }
        List<String> array = new ArrayList<>();
        for (int i = 0; i < arguments.length; i++) {
            array.add(encode(arguments[i], declared.get(i), argument(method, i)).json());
        }
        return together(array, method.name());
    }

    /**
     * Writes the arguments of a call by name as a JSON array, each by its own class, as the types as which they will be
     * read are not known here.
     *
     * @param callee the callee's name in errors: {@code OrderWorkflow}
     * @throws PayloadException if one can't be written, or is too large
     */
    public Payload encodeArguments(String callee, @Nullable Object[] arguments) {
        List<String> array = new ArrayList<>();
        for (int i = 0; i < arguments.length; i++) {
            int number = i + 1;
            array.add(undeclared(arguments[i], () -> "argument " + number + " of " + callee)
                    .json());
        }
        return together(array, callee);
    }

    /**
     * Writes a value by its own class, where the type as which it will be read is not known here.
     *
     * @param what its name in errors
     * @throws PayloadException if it can't be written, or is too large
     */
    public Payload encodeUndeclared(@Nullable Object value, String what) {
        return undeclared(value, () -> what);
    }

    private Payload undeclared(@Nullable Object value, Supplier<String> what) {
        if (value == null) {
            return Payload.NULL;
        }
        return limited(writeUndeclared(value, what), what);
    }

    private Payload writeUndeclared(Object value, Supplier<String> what) {
        try {
            return Payload.of(reader.writeValueAsString(value));
        } catch (RuntimeException e) {
            throw PayloadErrors.unwritable(what.get(), value.getClass(), e);
        }
    }

    /**
     * Reads the arguments of a call. One that is missing at the end is null, one too many is ignored: a parameter can
     * be added or removed at the end while calls are under way.
     *
     * @throws PayloadException if one can't be read as its parameter's type
     */
    public @Nullable Object[] decodeArguments(MethodSpec method, Payload arguments) {
        return decodeArguments(method, arguments, false);
    }

    /**
     * Reads the arguments of a call, one for each parameter.
     *
     * @throws PayloadException if there are more or fewer, or one can't be read as its parameter's type
     */
    public @Nullable Object[] decodeExactly(MethodSpec method, Payload arguments) {
        return decodeArguments(method, arguments, true);
    }

    /**
     * Returns the arguments of a handler of any name: the name of the message, and its values, which the handler reads
     * as types that it says.
     *
     * @throws PayloadException if what is stored is no list of arguments
     */
    public @Nullable Object[] argumentsOfAnyName(MethodSpec handler, String name, Payload arguments) {
        return new Object[] {
            name, values(handler, Bounds.shown(name) + " (handled by " + handler.name() + ")", arguments)
        };
    }

    /**
     * Returns the arguments of a run method of any workflow type: the values, which it reads as types that it says.
     *
     * @throws PayloadException if what is stored is no list of arguments
     */
    public @Nullable Object[] argumentsOfAnyType(MethodSpec run, String type, Payload arguments) {
        return new Object[] {values(run, Bounds.shown(type) + " (run by " + run.name() + ")", arguments)};
    }

    private EncodedValues values(MethodSpec handler, String message, Payload arguments) {
        List<Payload> values = new ArrayList<>();
        try (JsonParser in = reader.createParser(arguments.json())) {
            if (in.nextToken() != JsonToken.START_ARRAY) {
                throw PayloadErrors.noArguments(handler, arguments);
            }
            PayloadType asItIs = type(Payload.class);
            while (in.nextToken() != JsonToken.END_ARRAY) {
                Object value =
                        asItIs.read(in, arguments, () -> "an argument of " + message, PayloadErrors.OLD_ARGUMENTS);
                values.add((Payload) Objects.requireNonNull(value));
            }
        } catch (JacksonException e) {
            throw PayloadErrors.unreadable(
                    "the list of arguments of " + message, Object[].class, arguments, PayloadErrors.OLD_ARGUMENTS, e);
        }
        return new StoredValues(this, message, List.copyOf(values));
    }

    private @Nullable Object[] decodeArguments(MethodSpec method, Payload arguments, boolean exactly) {
        try (JsonParser in = reader.createParser(arguments.json())) {
            if (in.nextToken() != JsonToken.START_ARRAY) {
                throw PayloadErrors.noArguments(method, arguments);
            }
            return decodeArguments(method, arguments, in, exactly);
        } catch (JacksonException e) {
            throw PayloadErrors.unreadable(
                    "the list of arguments of " + method.name(),
                    Object[].class,
                    arguments,
                    PayloadErrors.OLD_ARGUMENTS,
                    e);
        }
    }

    private @Nullable Object[] decodeArguments(MethodSpec method, Payload arguments, JsonParser in, boolean exactly) {
        List<Type> declared = method.parameterTypes();
        @Nullable Object[] decoded = new @Nullable Object[declared.size()];
        int present = 0;
        while (present < decoded.length && in.nextToken() != JsonToken.END_ARRAY) {
            decoded[present] = type(declared.get(present))
                    .read(in, arguments, argument(method, present), PayloadErrors.OLD_ARGUMENTS);
            present++;
        }
        if (exactly && (present < decoded.length || in.nextToken() != JsonToken.END_ARRAY)) {
            throw PayloadErrors.otherCount(method, arguments);
        }
        for (int missing = present; missing < decoded.length; missing++) {
            decoded[missing] = type(declared.get(missing)).absent(argument(method, missing), present);
        }
        return decoded;
    }

    /**
     * Writes one value.
     *
     * @param value what to write
     * @param type the declared type as which it will be read
     * @param what its name in errors: {@code "the result of Payments.charge"}
     * @throws PayloadException if it can't be written so that it comes back equal, or is too large
     */
    public Payload encode(@Nullable Object value, Type type, String what) {
        return encode(value, type, () -> what);
    }

    private Payload encode(@Nullable Object value, Type type, Supplier<String> what) {
        return limited(type(type).write(value, what), what);
    }

    /**
     * Reads one value.
     *
     * @param payload the written value
     * @param type the declared type as which it is read
     * @param what its name in errors: {@code "the result of Payments.charge"}
     * @throws PayloadException if it can't be read as that type
     */
    public @Nullable Object decode(Payload payload, Type type, String what) {
        return type(type).read(payload, () -> what);
    }

    /**
     * Reads one value, for a caller that chose the type.
     *
     * @param wayOut the advice for a value that can't be read as that type
     */
    public @Nullable Object decodeFor(Payload payload, Type type, String what, Supplier<String> wayOut) {
        return type(type).read(payload, () -> what, wayOut);
    }

    public int maxBytes() {
        return maxBytes;
    }

    private PayloadType type(Type type) {
        PayloadType known = types.get(type);
        return known == null ? types.computeIfAbsent(type, t -> new PayloadType(t, reader, writer)) : known;
    }

    private Payload limited(Payload payload, Supplier<String> what) {
        int bytes = excess(payload);
        if (bytes > 0) {
            throw PayloadErrors.tooLarge(what.get(), bytes, maxBytes);
        }
        return payload;
    }

    private Payload together(List<String> array, String callee) {
        Payload payload = new Payload(JsonObjectWriter.array(array));
        int bytes = excess(payload);
        if (bytes > 0) {
            throw PayloadErrors.tooLargeTogether(callee, bytes, maxBytes);
        }
        return payload;
    }

    /**
     * Returns the size where it is over the limit, else 0. Most payloads are so small that their bytes need not be
     * counted.
     */
    private int excess(Payload payload) {
        if (payload.json().length() <= maxBytes / BYTES_PER_CHAR) {
            return 0;
        }
        int bytes = payload.bytes();
        return bytes > maxBytes ? bytes : 0;
    }

    private static Supplier<String> argument(MethodSpec method, int index) {
        return () -> PayloadErrors.argument(method, index);
    }
}
