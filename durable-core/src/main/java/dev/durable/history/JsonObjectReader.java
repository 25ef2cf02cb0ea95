package dev.durable.history;

import static dev.durable.history.JsonScan.NONE;
import static dev.durable.history.JsonScan.endOfName;
import static dev.durable.history.JsonScan.endOfValue;
import static dev.durable.history.JsonScan.skipBlanks;
import static dev.durable.history.JsonScan.stands;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;

/**
 * One JSON object as it was written: the names of its properties and, for each, where its value stands in the text. A
 * value is a slice of that text, so an embedded payload comes out to the byte as it went in, whatever its numbers,
 * escapes and blanks look like. Properties that the caller does not ask for are ignored.
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

    private static final int BOUNDS = 4;

    private final String text;
    /** Of each property: where its name begins and ends, where its value does. */
    private int[] bounds = new int[8 * BOUNDS];
    /** Set where a parser has read the text; the bounds of names are unused then. */
    private String @Nullable [] names;

    private int size;
    /** The names that were asked for, where the caller wants to know. */
    private @Nullable Set<String> asked;

    private JsonObjectReader(String text) {
        this.text = text;
    }

    static JsonObjectReader of(String text) {
        JsonObjectReader object = new JsonObjectReader(text);
        return object.scan() ? object : parsed(text);
    }

    /** Finds names and values; false where a parser should look. */
    private boolean scan() {
        int at = skipBlanks(text, 0);
        if (!stands(text, at, '{')) {
            return false;
        }
        at = skipBlanks(text, at + 1);
        boolean more = !stands(text, at, '}');
        while (more) {
            int colon = endOfName(text, at);
            if (colon == NONE) {
                return false;
            }
            int quote = text.indexOf('"', at + 1); // ends the name, unless it is an escaped one
            int start = skipBlanks(text, colon + 1);
            int end = endOfValue(text, start);
            if (end == NONE || text.indexOf('\\', at, quote) >= 0) {
                return false;
            }
            add(at + 1, quote, start, end);
            at = skipBlanks(text, end);
            more = stands(text, at, ',');
            if (more) {
                at = skipBlanks(text, at + 1);
            }
        }
        return stands(text, at, '}') && skipBlanks(text, at + 1) == text.length();
    }

    private void add(int nameStart, int nameEnd, int start, int end) {
        int at = size * BOUNDS;
        if (at == bounds.length) {
            bounds = Arrays.copyOf(bounds, 2 * at);
        }
        bounds[at] = nameStart;
        bounds[at + 1] = nameEnd;
        bounds[at + 2] = start;
        bounds[at + 3] = end;
        size++;
    }

    /** Reads the text with a parser, which takes all that is JSON and says what is none. */
    static JsonObjectReader parsed(String text) {
        JsonObjectReader object = new JsonObjectReader(text);
        List<String> names = new ArrayList<>();
        try (JsonParser in = JSON.createParser(ObjectReadContext.empty(), text)) {
            require(in.nextToken() == JsonToken.START_OBJECT, "it is no JSON object");
            while (in.nextToken() != JsonToken.END_OBJECT) {
                names.add(in.currentName());
                in.nextToken();
                object.add(0, 0, start(in), end(in));
            }
            require(in.nextToken() == null, "something follows the JSON object");
        } catch (JacksonException e) {
            throw noJson(e);
        }
        object.names = names.toArray(String[]::new);
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
            throw noJson(e);
        }
        return elements;
    }

    private static int start(JsonParser in) {
        return (int) in.currentTokenLocation().getCharOffset();
    }

    private static int end(JsonParser in) {
        in.skipChildren();
        in.finishToken();
        return (int) in.currentLocation().getCharOffset();
    }

    /** Says where, and not what stands there, which may be data of the application. */
    private static IllegalArgumentException noJson(JacksonException e) {
        TokenStreamLocation where = e.getLocation();
        return new IllegalArgumentException(
                where == null
                        ? "it is no JSON, or nested deeper than is read"
                        : "it is no JSON from character " + where.getCharOffset() + " on");
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }

    /** Returns whether the scan took the text; a parser read it where the scan did not. */
    boolean isScanned() {
        return names == null;
    }

    /** The values as they stand in the text, by name, in the order they stand; of one name the first. */
    Map<String, String> properties() {
        Map<String, String> properties = new LinkedHashMap<>();
        for (int i = 0; i < size; i++) {
            int at = i * BOUNDS;
            properties.putIfAbsent(name(i), text.substring(bounds[at + 2], bounds[at + 3]));
        }
        return properties;
    }

    private String name(int property) {
        int at = property * BOUNDS;
        return names == null ? text.substring(bounds[at], bounds[at + 1]) : names[property];
    }

    /** From now on it remembers which names it is asked for, to tell {@link #unasked}. */
    JsonObjectReader remembering() {
        asked = new HashSet<>();
        return this;
    }

    /** The properties that were not asked for since, in the order they stand. */
    List<String> unasked() {
        Set<String> known = asked == null ? Set.of() : asked;
        return properties().keySet().stream()
                .filter(name -> !known.contains(name))
                .toList();
    }

    /** Where the bounds of the first property of this name stand. */
    private int find(String name) {
        if (asked != null) {
            asked.add(name);
        }
        for (int i = 0; i < size; i++) {
            if (isNamed(i, name)) {
                return i * BOUNDS;
            }
        }
        return NONE;
    }

    private boolean isNamed(int property, String name) {
        if (names != null) {
            return names[property].equals(name);
        }
        int at = property * BOUNDS;
        return bounds[at + 1] - bounds[at] == name.length() && text.startsWith(name, bounds[at]);
    }

    /** The value as it stands in the text; null where the property is absent. */
    @Nullable
    String jsonOrNull(String name) {
        int at = find(name);
        return at == NONE ? null : text.substring(bounds[at + 2], bounds[at + 3]);
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
        String value = plainOrNull(name);
        return value == null ? unquote(json(name)) : value;
    }

    /** The string without its quotes, if it is one and has no escapes. */
    private @Nullable String plainOrNull(String name) {
        int at = find(name);
        if (at == NONE || text.charAt(bounds[at + 2]) != '"') {
            return null;
        }
        int from = bounds[at + 2] + 1;
        int to = bounds[at + 3] - 1;
        return text.indexOf('\\', from, to) < 0 ? text.substring(from, to) : null;
    }

    String string(String name, String otherwise) {
        String value = stringOrNull(name);
        return value == null ? otherwise : value;
    }

    @Nullable
    String stringOrNull(String name) {
        String plain = plainOrNull(name);
        if (plain != null) {
            return plain;
        }
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

    /** Parses a time; the parser's own exception is no IllegalArgumentException, as all others here are. */
    private static <T> T time(String value, Function<String, T> parser) {
        try {
            return parser.apply(value);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    Instant instant(String name) {
        return time(string(name), IsoInstant::parse);
    }

    @Nullable
    Instant instantOrNull(String name) {
        String value = stringOrNull(name);
        return value == null ? null : time(value, IsoInstant::parse);
    }

    @Nullable
    Duration durationOrNull(String name) {
        String value = stringOrNull(name);
        return value == null ? null : time(value, Duration::parse);
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
        Map<String, String> map = of(json).properties();
        map.replaceAll((key, value) -> unquote(value));
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
