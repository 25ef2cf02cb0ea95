package dev.durable.internal.json;

import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Writes one JSON object, property by property, what is null or empty left out. Every event of every run passes here: no
 * mapper, no reflection; strings that need escapes are left to Jackson. No other code of the library puts JSON together out
 * of text ({@code JsonInOnePlaceTest}).
 */
public final class JsonObjectWriter {
    private static final JsonFactory JSON = new JsonFactory();
    private static final int USUAL_CHARS = 256;

    private final StringBuilder out = new StringBuilder(USUAL_CHARS);

    private JsonObjectWriter() {}

    /** The text of an object with the properties that {@code body} writes. */
    public static String object(Consumer<JsonObjectWriter> body) {
        JsonObjectWriter writer = new JsonObjectWriter();
        writer.braces(body);
        return writer.out.toString();
    }

    /**
     * The text of an object with further properties behind those that it has.
     *
     * @param object as this class has written it
     */
    public static String extended(String object, Consumer<JsonObjectWriter> body) {
        JsonObjectWriter writer = new JsonObjectWriter();
        writer.out.append(object, 0, object.length() - 1);
        body.accept(writer);
        return writer.out.append('}').toString();
    }

    /** The text of an array of elements that are JSON themselves. */
    public static String array(Collection<String> elements) {
        return "[" + String.join(",", elements) + "]";
    }

    /** The text of a string: in quotes, escaped. */
    public static String quote(String value) {
        if (isPlain(value)) {
            return '"' + value + '"';
        }
        StringWriter text = new StringWriter();
        try (JsonGenerator escaping = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            escaping.writeString(value);
        }
        return LoneSurrogates.escape(text.toString());
    }

    /** Returns whether the text stands in JSON as it is. */
    private static boolean isPlain(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < ' ' || c == '"' || c == '\\' || Character.isSurrogate(c)) {
                return false;
            }
        }
        return true;
    }

    private void string(String value) {
        if (isPlain(value)) {
            out.append('"').append(value).append('"');
        } else {
            out.append(quote(value));
        }
    }

    private void braces(Consumer<JsonObjectWriter> body) {
        out.append('{');
        body.accept(this);
        out.append('}');
    }

    /** Between two values a comma; none behind what opens, as no value ends so. */
    private void next() {
        char last = out.charAt(out.length() - 1);
        if (last != '{' && last != '[') {
            out.append(',');
        }
    }

    private StringBuilder name(String name) {
        next();
        string(name);
        return out.append(':');
    }

    public JsonObjectWriter string(String name, @Nullable String value) {
        if (value != null) {
            name(name);
            string(value);
        }
        return this;
    }

    public JsonObjectWriter number(String name, long value) {
        name(name).append(value);
        return this;
    }

    public JsonObjectWriter number(String name, @Nullable Integer value) {
        return value == null ? this : number(name, value.longValue());
    }

    /** JSON has no infinite numbers: they are strings. */
    public JsonObjectWriter number(String name, double value) {
        if (!Double.isFinite(value)) {
            return string(name, Double.toString(value));
        }
        name(name).append(value);
        return this;
    }

    /** Written only where it is set. */
    public JsonObjectWriter flag(String name, boolean value) {
        if (value) {
            name(name).append(true);
        }
        return this;
    }

    public JsonObjectWriter instant(String name, @Nullable Instant value) {
        return value == null ? this : string(name, value.toString());
    }

    public JsonObjectWriter duration(String name, @Nullable Duration value) {
        return value == null ? this : string(name, value.toString());
    }

    public JsonObjectWriter uuid(String name, UUID value) {
        return string(name, value.toString());
    }

    /** Embeds JSON text as it is, to the byte; what UTF-8 has no bytes for is escaped. */
    public JsonObjectWriter json(String name, String value) {
        name(name).append(LoneSurrogates.escape(value));
        return this;
    }

    /** Writes the JSON text of a value as a property; null is left out. */
    public <T> JsonObjectWriter json(String name, @Nullable T value, Function<T, String> text) {
        return value == null ? this : json(name, text.apply(value));
    }

    public JsonObjectWriter strings(String name, List<String> values) {
        return elements(name, values, this::string);
    }

    /** Sorted by key: the same map gives the same text in every process. */
    public JsonObjectWriter map(String name, Map<String, String> values) {
        return values.isEmpty() ? this : object(name, object -> new TreeMap<>(values).forEach(object::string));
    }

    public JsonObjectWriter object(String name, Consumer<JsonObjectWriter> body) {
        name(name);
        braces(body);
        return this;
    }

    /** Null is left out. */
    public <T> JsonObjectWriter object(String name, @Nullable T value, BiConsumer<T, JsonObjectWriter> body) {
        return value == null ? this : object(name, object -> body.accept(value, object));
    }

    public <T> JsonObjectWriter objects(String name, List<T> values, BiConsumer<T, JsonObjectWriter> body) {
        return elements(name, values, value -> braces(object -> body.accept(value, object)));
    }

    private <T> JsonObjectWriter elements(String name, List<T> values, Consumer<T> element) {
        if (!values.isEmpty()) {
            name(name).append('[');
            for (T value : values) {
                next();
                element.accept(value);
            }
            out.append(']');
        }
        return this;
    }
}
