package dev.durable.history;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/**
 * One JSON object as it was written: the names of its properties and, for each, where its value stands in the text. A
 * value is a slice of that text, so an embedded payload comes out to the byte as it went in, whatever its numbers,
 * escapes and blanks look like. Properties nobody asks for are ignored.
 */
final class JsonObjectReader {
    /** Sizes are the payload codec's business, before anything is written: what is stored must be readable. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(10_000)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private final String text;
    private String[] names = new String[8];
    private int[] bounds = new int[16];
    private int size;

    private JsonObjectReader(String text) {
        this.text = text;
    }

    static JsonObjectReader of(String text) {
        JsonObjectReader object = new JsonObjectReader(text);
        try (JsonParser in = JSON.createParser(ObjectReadContext.empty(), text)) {
            require(in.nextToken() == JsonToken.START_OBJECT, "it is no JSON object");
            while (in.nextToken() != JsonToken.END_OBJECT) {
                object.add(in);
            }
            require(in.nextToken() == null, "something follows the JSON object");
        } catch (JacksonException e) {
            throw new IllegalArgumentException("it is no JSON: " + e.getOriginalMessage(), e);
        }
        return object;
    }

    /** The elements of an array, each as it stands there. */
    static List<String> elements(String array) {
        List<String> elements = new ArrayList<>();
        try (JsonParser in = JSON.createParser(ObjectReadContext.empty(), array)) {
            require(in.nextToken() == JsonToken.START_ARRAY, "it is no JSON array");
            while (in.nextToken() != JsonToken.END_ARRAY) {
                elements.add(array.substring(start(in), end(in)));
            }
        } catch (JacksonException e) {
            throw new IllegalArgumentException("it is no JSON: " + e.getOriginalMessage(), e);
        }
        return elements;
    }

    private void add(JsonParser in) {
        if (size == names.length) {
            names = Arrays.copyOf(names, 2 * size);
            bounds = Arrays.copyOf(bounds, 4 * size);
        }
        names[size] = in.currentName();
        in.nextToken();
        bounds[2 * size] = start(in);
        bounds[2 * size + 1] = end(in);
        size++;
    }

    private static int start(JsonParser in) {
        return (int) in.currentTokenLocation().getCharOffset();
    }

    private static int end(JsonParser in) {
        in.skipChildren();
        in.finishToken();
        return (int) in.currentLocation().getCharOffset();
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }

    /** The names in the order they stand. */
    List<String> names() {
        return List.of(Arrays.copyOf(names, size));
    }

    /** The value as it stands in the text; null where the property is absent. */
    @Nullable
    String jsonOrNull(String name) {
        for (int i = 0; i < size; i++) {
            if (names[i].equals(name)) {
                return text.substring(bounds[2 * i], bounds[2 * i + 1]);
            }
        }
        return null;
    }

    String json(String name) {
        String json = jsonOrNull(name);
        if (json == null) {
            throw new IllegalArgumentException("it has no property \"" + name + "\"");
        }
        return json;
    }

    Payload payload(String name) {
        return new Payload(json(name));
    }

    @Nullable
    Payload payloadOrNull(String name) {
        String json = jsonOrNull(name);
        return json == null ? null : new Payload(json);
    }

    String string(String name) {
        return unquote(json(name));
    }

    String string(String name, String otherwise) {
        String value = stringOrNull(name);
        return value == null ? otherwise : value;
    }

    @Nullable
    String stringOrNull(String name) {
        String json = jsonOrNull(name);
        return json == null || json.equals("null") ? null : unquote(json);
    }

    private static String unquote(String json) {
        require(json.startsWith("\""), json + " is no string");
        if (json.indexOf('\\') < 0) {
            return json.substring(1, json.length() - 1);
        }
        try (JsonParser in = JSON.createParser(ObjectReadContext.empty(), json)) {
            in.nextToken();
            return in.getString();
        }
    }

    boolean has(String name) {
        String json = jsonOrNull(name);
        return json != null && !json.equals("null");
    }

    int integer(String name) {
        return Integer.parseInt(json(name));
    }

    int integer(String name, int otherwise) {
        String json = jsonOrNull(name);
        return json == null ? otherwise : Integer.parseInt(json);
    }

    long number(String name) {
        return Long.parseLong(json(name));
    }

    double decimal(String name, double otherwise) {
        String json = jsonOrNull(name);
        return json == null ? otherwise : Double.parseDouble(json.startsWith("\"") ? unquote(json) : json);
    }

    boolean flag(String name) {
        return "true".equals(jsonOrNull(name));
    }

    UUID uuid(String name) {
        return UUID.fromString(string(name));
    }

    Instant instant(String name) {
        return IsoInstant.parse(string(name));
    }

    @Nullable
    Instant instantOrNull(String name) {
        String value = stringOrNull(name);
        return value == null ? null : IsoInstant.parse(value);
    }

    @Nullable
    Duration durationOrNull(String name) {
        String value = stringOrNull(name);
        return value == null ? null : Duration.parse(value);
    }

    Duration duration(String name, Duration otherwise) {
        Duration value = durationOrNull(name);
        return value == null ? otherwise : value;
    }

    List<String> strings(String name) {
        String json = jsonOrNull(name);
        return json == null
                ? List.of()
                : elements(json).stream().map(JsonObjectReader::unquote).toList();
    }

    Map<String, String> map(String name) {
        String json = jsonOrNull(name);
        if (json == null) {
            return Map.of();
        }
        JsonObjectReader object = of(json);
        Map<String, String> map = new LinkedHashMap<>();
        object.names().forEach(key -> map.put(key, object.string(key)));
        return map;
    }

    /** The objects of an array. */
    List<JsonObjectReader> objects(String name) {
        String json = jsonOrNull(name);
        return json == null
                ? List.of()
                : elements(json).stream().map(JsonObjectReader::of).toList();
    }
}
