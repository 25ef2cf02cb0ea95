package dev.durable.history;

import java.io.Writer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Writes one JSON object, property by property. Streaming, because every event of every run passes here: no mapper, no
 * reflection. What is null or empty is left out.
 */
final class JsonObjectWriter {
    private static final JsonFactory JSON = new JsonFactory();

    private final JsonGenerator out;

    private JsonObjectWriter(JsonGenerator out) {
        this.out = out;
    }

    /** The text of an object with the properties that {@code body} writes. */
    static String object(Consumer<JsonObjectWriter> body) {
        Text text = new Text();
        try (JsonGenerator out = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            out.writeStartObject();
            body.accept(new JsonObjectWriter(out));
            out.writeEndObject();
        }
        return LoneSurrogates.escape(text.toString());
    }

    /** The text of a string: in quotes, escaped. */
    static String quote(String value) {
        Text text = new Text();
        try (JsonGenerator out = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            out.writeString(value);
        }
        return LoneSurrogates.escape(text.toString());
    }

    JsonObjectWriter string(String name, @Nullable String value) {
        if (value != null) {
            out.writeStringProperty(name, value);
        }
        return this;
    }

    JsonObjectWriter number(String name, long value) {
        out.writeNumberProperty(name, value);
        return this;
    }

    JsonObjectWriter number(String name, double value) {
        out.writeNumberProperty(name, value);
        return this;
    }

    /** Written only where it is set. */
    JsonObjectWriter flag(String name, boolean value) {
        if (value) {
            out.writeBooleanProperty(name, true);
        }
        return this;
    }

    JsonObjectWriter instant(String name, @Nullable Instant value) {
        return value == null ? this : string(name, value.toString());
    }

    JsonObjectWriter duration(String name, @Nullable Duration value) {
        return value == null ? this : string(name, value.toString());
    }

    JsonObjectWriter uuid(String name, UUID value) {
        return string(name, value.toString());
    }

    /** Embeds a payload as it is, to the byte. */
    JsonObjectWriter payload(String name, @Nullable Payload value) {
        return value == null ? this : json(name, value.json());
    }

    /** Embeds JSON text as it is, to the byte. */
    JsonObjectWriter json(String name, String value) {
        out.writeName(name);
        out.writeRawValue(value);
        return this;
    }

    JsonObjectWriter strings(String name, List<String> values) {
        if (!values.isEmpty()) {
            out.writeArrayPropertyStart(name);
            values.forEach(out::writeString);
            out.writeEndArray();
        }
        return this;
    }

    /** Sorted by key: the same map gives the same text in every process. */
    JsonObjectWriter map(String name, Map<String, String> values) {
        if (!values.isEmpty()) {
            out.writeObjectPropertyStart(name);
            new TreeMap<>(values).forEach(out::writeStringProperty);
            out.writeEndObject();
        }
        return this;
    }

    JsonObjectWriter object(String name, Consumer<JsonObjectWriter> body) {
        out.writeObjectPropertyStart(name);
        body.accept(this);
        out.writeEndObject();
        return this;
    }

    JsonObjectWriter local(@Nullable LocalCall call) {
        return call == null
                ? this
                : object("local", o -> o.string("activity", call.activity()).payload("input", call.input()));
    }

    <T> JsonObjectWriter objects(String name, List<T> values, BiConsumer<T, JsonObjectWriter> body) {
        if (!values.isEmpty()) {
            out.writeArrayPropertyStart(name);
            for (T value : values) {
                out.writeStartObject();
                body.accept(value, this);
                out.writeEndObject();
            }
            out.writeEndArray();
        }
        return this;
    }

    /** A StringWriter without its locks. */
    private static final class Text extends Writer {
        private final StringBuilder text = new StringBuilder(256);

        @Override
        public void write(char[] chars, int from, int length) {
            text.append(chars, from, length);
        }

        @Override
        public void write(String string, int from, int length) {
            text.append(string, from, from + length);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}

        @Override
        public String toString() {
            return text.toString();
        }
    }
}
