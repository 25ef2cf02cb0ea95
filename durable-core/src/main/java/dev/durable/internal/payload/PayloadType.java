package dev.durable.internal.payload;

import dev.durable.history.Payload;
import java.lang.invoke.MethodType;
import java.lang.reflect.Type;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads and writes values of one declared type. Errors name the value that is read or written, so its name is always
 * passed along.
 */
final class PayloadType {
    private final Type declared;
    private final JavaType type;
    /**
     * True where a value is written as the only element of a list: there Jackson keeps type arguments, at the root it
     * does not.
     */
    private final boolean listed;

    private final ObjectWriter writer;
    private final ObjectReader reader;
    private final JsonMapper mapper;
    private volatile @Nullable Review review;

    /** The result of the review; a record, since the problem may be null. */
    private record Review(@Nullable String problem) {}

    PayloadType(Type declared, JsonMapper readingMapper, JsonMapper writingMapper) {
        this.declared = declared;
        this.type = readingMapper.constructType(declared);
        this.mapper = readingMapper;
        this.listed = type.hasGenericTypes() && !type.isContainerType() && !type.isFinal();
        this.writer = writingMapper.writerFor(listed ? listOf(type, writingMapper) : type);
        // A value is read out of the middle of an array of arguments, so more tokens follow.
        this.reader = readingMapper.readerFor(type).without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    }

    /** Refuses a type whose values could not be read back. */
    void check(Supplier<String> what) {
        Review found = review;
        if (found == null) {
            found = new Review(isVoid() || isPayload() ? null : TypeReview.problem(type, mapper));
            review = found;
        }
        if (found.problem() != null) {
            throw PayloadErrors.unsuitable(what.get(), declared, found.problem());
        }
    }

    Payload write(@Nullable Object value, Supplier<String> what) {
        if (value instanceof Payload asItIs) {
            return asItIs;
        }
        if (isVoid()) {
            return Payload.NULL;
        }
        check(what);
        if (value == null) {
            return writeNull(what);
        }
        try {
            return Payload.of(listed ? writeListed(value) : writer.writeValueAsString(value));
        } catch (RuntimeException e) {
            throw isOfType(value)
                    ? PayloadErrors.unwritable(what.get(), declared, e)
                    : PayloadErrors.otherType(what.get(), declared, value);
        }
    }

    private boolean isOfType(Object value) {
        return MethodType.methodType(type.getRawClass()).wrap().returnType().isInstance(value);
    }

    private String writeListed(Object value) {
        String list = writer.writeValueAsString(List.of(value)).strip();
        return list.substring(1, list.length() - 1).strip();
    }

    private static JavaType listOf(JavaType type, JsonMapper mapper) {
        return mapper.getTypeFactory().constructCollectionType(List.class, type);
    }

    private Payload writeNull(Supplier<String> what) {
        if (type.isPrimitive()) {
            throw PayloadErrors.nullForPrimitive(what.get(), declared);
        }
        return Payload.NULL;
    }

    @Nullable
    Object read(Payload payload, Supplier<String> what) {
        return read(payload, what, PayloadErrors.OLD_DATA);
    }

    @Nullable
    Object read(Payload payload, Supplier<String> what, Supplier<String> wayOut) {
        if (isVoid()) {
            return null;
        }
        try (JsonParser in = mapper.createParser(payload.json())) {
            in.nextToken();
            return read(in, payload, what, wayOut);
        } catch (JacksonException e) {
            throw PayloadErrors.unreadable(what.get(), declared, payload, wayOut, e);
        }
    }

    /** Reads the value at which the parser stands; {@code whole} is the payload that errors show. */
    @Nullable
    Object read(JsonParser in, Payload whole, Supplier<String> what, Supplier<String> wayOut) {
        if (type.isPrimitive() && in.currentToken() == JsonToken.VALUE_NULL) {
            throw PayloadErrors.nullForPrimitive(what.get(), declared);
        }
        try {
            if (isPayload()) {
                int start = (int) in.currentTokenLocation().getCharOffset();
                in.skipChildren();
                in.finishToken();
                return new Payload(
                        whole.json().substring(start, (int) in.currentLocation().getCharOffset()));
            }
            return reader.readValue(in);
        } catch (RuntimeException e) {
            throw PayloadErrors.unreadable(what.get(), declared, whole, wayOut, e);
        }
    }

    /** Returns the value of an argument that was not written; {@code present} arguments were. */
    @Nullable
    Object absent(Supplier<String> what, int present) {
        if (type.isPrimitive()) {
            throw PayloadErrors.missing(what.get(), declared, present);
        }
        return read(Payload.NULL, what);
    }

    /** Returns whether values are JSON text that is passed on unchanged. */
    private boolean isPayload() {
        return type.hasRawClass(Payload.class);
    }

    private boolean isVoid() {
        return type.hasRawClass(void.class) || type.hasRawClass(Void.class);
    }
}
