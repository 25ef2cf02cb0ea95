package dev.durable.history;

import dev.durable.internal.json.JsonObjectReader;
import dev.durable.internal.json.LoneSurrogates;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A value as JSON text, exactly as it is stored: never re-ordered, never re-formatted.
 *
 * @param json valid JSON; NUL and lone surrogates are escaped, so that it encodes as UTF-8 without loss
 */
public record Payload(String json) {

    /** No value: the result of a void method, a null argument. */
    public static final Payload NULL = new Payload("null");

    /** No arguments. */
    public static final Payload NO_ARGUMENTS = new Payload("[]");

    /**
     * JSON text as a payload. Lone surrogates, which UTF-8 has no bytes for, are escaped: {@code \\ud800} in the text is
     * the same value, and survives.
     */
    public static Payload of(String json) {
        return new Payload(LoneSurrogates.escape(json));
    }

    /**
     * The properties of an object in the order they stand, each as it stands.
     *
     * @throws IllegalArgumentException if it is no JSON object
     */
    public Map<String, Payload> properties() {
        Map<String, Payload> properties = new LinkedHashMap<>();
        JsonObjectReader.of(json).properties().forEach((name, value) -> properties.put(name, new Payload(value)));
        return properties;
    }

    /** Its size in the store, in bytes of UTF-8. */
    public int bytes() {
        return json.getBytes(StandardCharsets.UTF_8).length;
    }

    /** Its length, never what it says: payloads do not stand in logs and errors. */
    @Override
    public String toString() {
        return json.length() + " characters of JSON";
    }
}
