package dev.durable.internal.json;

import static dev.durable.internal.json.JsonScan.NONE;
import static dev.durable.internal.json.JsonScan.endOfName;
import static dev.durable.internal.json.JsonScan.endOfValue;
import static dev.durable.internal.json.JsonScan.skipBlanks;
import static dev.durable.internal.json.JsonScan.stands;

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
 * escapes and blanks look like. Properties that are not asked for are ignored.
 *
 * <p>Most methods throw {@code IllegalArgumentException} where the property is not of the kind that is asked for. Those that
 * end in {@code IfAny} take such a property for absent: they read rows that were perhaps changed by hand, and that must not
 * stop the work on others.
 */
public final class JsonObjectReader {
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
    /** The names that were asked for, once {@link #remembering} was called. */
    private @Nullable Set<String> asked;

    private JsonObjectReader(String text) {
        this.text = text;
    }

    /**
     * The object that the text is.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static JsonObjectReader of(String text) {
        JsonObjectReader object = new JsonObjectReader(text);
        return object.scan() ? object : parsed(text);
    }

    /** The object that the text is; one without properties where it is none. */
    public static JsonObjectReader ofAny(String text) {
        try {
            return of(text);
        } catch (IllegalArgumentException e) {
            return new JsonObjectReader(text);
        }
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

    /** The object by a parser, which takes all that is JSON and says where a text is none. */
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

    /**
     * The elements of an array, each as it stands there.
     *
     * @throws IllegalArgumentException if the text is none
     */
    public static List<String> elements(String array) {
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
    public Map<String, String> properties() {
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
    public JsonObjectReader remembering() {
        asked = new HashSet<>();
        return this;
    }

    /** The properties that have not been asked for since, in the order they stand. */
    public List<String> unasked() {
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
    public @Nullable String jsonOrNull(String name) {
        int at = find(name);
        return at == NONE ? null : text.substring(bounds[at + 2], bounds[at + 3]);
    }

    public String json(String name) {
        String json = jsonOrNull(name);
        if (json == null) {
            throw new IllegalArgumentException("it has no property \"" + name + "\"");
        }
        return json;
    }

    public String string(String name) {
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

    public String string(String name, String otherwise) {
        String value = stringOrNull(name);
        return value == null ? otherwise : value;
    }

    public @Nullable String stringOrNull(String name) {
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

    public boolean has(String name) {
        String json = jsonOrNull(name);
        return json != null && !json.equals("null");
    }

    public int integer(String name) {
        return Integer.parseInt(json(name));
    }

    public int integer(String name, int otherwise) {
        String json = jsonOrNull(name);
        return json == null ? otherwise : Integer.parseInt(json);
    }

    public long number(String name) {
        return Long.parseLong(json(name));
    }

    public double decimal(String name, double otherwise) {
        String json = jsonOrNull(name);
        return json == null ? otherwise : Double.parseDouble(json.startsWith("\"") ? unquote(json) : json);
    }

    public boolean flag(String name) {
        return "true".equals(jsonOrNull(name));
    }

    public UUID uuid(String name) {
        return UUID.fromString(string(name));
    }

    /** The parsers of times throw no IllegalArgumentException, as all other methods here do. */
    private static <T> T time(String value, Function<String, T> parser) {
        try {
            return parser.apply(value);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    public Instant instant(String name) {
        return time(string(name), IsoInstant::parse);
    }

    public @Nullable Instant instantOrNull(String name) {
        String value = stringOrNull(name);
        return value == null ? null : time(value, IsoInstant::parse);
    }

    public @Nullable Duration durationOrNull(String name) {
        String value = stringOrNull(name);
        return value == null ? null : time(value, Duration::parse);
    }

    public Duration duration(String name, Duration otherwise) {
        Duration value = durationOrNull(name);
        return value == null ? otherwise : value;
    }

    public List<String> strings(String name) {
        String json = jsonOrNull(name);
        return json == null
                ? List.of()
                : elements(json).stream().map(JsonObjectReader::unquote).toList();
    }

    public Map<String, String> map(String name) {
        String json = jsonOrNull(name);
        if (json == null) {
            return Map.of();
        }
        Map<String, String> map = of(json).properties();
        map.replaceAll((key, value) -> unquote(value));
        return map;
    }

    /** The objects of an array. */
    public List<JsonObjectReader> objects(String name) {
        String json = jsonOrNull(name);
        return json == null
                ? List.of()
                : elements(json).stream().map(JsonObjectReader::of).toList();
    }

    // ── rows that were perhaps changed by hand ───────────────────────────────────────────────────────────────────────

    /** The string that stands there; null where none does. */
    public @Nullable String stringIfAny(String name) {
        return stringIfOne(jsonOrNull(name));
    }

    private static @Nullable String stringIfOne(@Nullable String json) {
        return json == null || !json.startsWith("\"") ? null : unquote(json);
    }

    /** The number that stands there; {@code otherwise} where no {@code int} does. */
    public int integerIfAny(String name, int otherwise) {
        try {
            return integer(name, otherwise);
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }

    /** The time that stands there; null where none does. */
    public @Nullable Instant instantIfAny(String name) {
        String value = stringIfAny(name);
        try {
            return value == null ? null : IsoInstant.parse(value);
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** The object that stands there; one without properties where none does. */
    public JsonObjectReader objectIfAny(String name) {
        String json = jsonOrNull(name);
        return ofAny(json == null ? "" : json);
    }

    /** The first element of the array that stands there, if it is a string; null where it is none. The others are not read. */
    public @Nullable String firstStringIfAny(String name) {
        String json = jsonOrNull(name);
        if (json == null || !json.startsWith("[")) {
            return null;
        }
        int start = skipBlanks(json, 1);
        int end = stands(json, start, '"') ? endOfValue(json, start) : NONE;
        return end == NONE ? null : unquote(json.substring(start, end));
    }

    /** The properties whose values are strings, in the order they stand. */
    public Map<String, String> stringProperties() {
        Map<String, String> strings = new LinkedHashMap<>();
        properties().forEach((name, json) -> {
            String value = stringIfOne(json);
            if (value != null) {
                strings.put(name, value);
            }
        });
        return strings;
    }
}
