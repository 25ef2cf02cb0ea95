package dev.durable.internal.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is sliced by hand is what a parser finds, and what a parser refuses is refused. */
class JsonObjectReaderTest {
    private static final String[] SCALARS = {
        "null",
        "true",
        "false",
        "0",
        "-0",
        "-12",
        "3.25",
        "1e5",
        "2E-7",
        "-0.5e+10",
        "\"\"",
        "\"x\"",
        "\"ü€😀\"",
        "\"\\n\\\"\\\\\\/\\u00e9\\ud800\"",
        "\"{[,:]}\"",
        "12345678901234567890"
    };
    private static final String[] BLANKS = {"", "", "", " ", "\n\t", "\r "};
    private static final String MUTANTS = "{}[]\",:\\0 -+.eEtu\u0001\u007fx\t/";
    private static final int TEXTS = 20_000;

    private final Random random = new Random(11);

    @Test
    void every_object_is_read_as_a_parser_reads_it() {
        for (int i = 0; i < TEXTS; i++) {
            String text = blanks() + object(4) + blanks();
            JsonObjectReader read = JsonObjectReader.of(text);
            boolean escapes = read.properties().containsKey("näme");
            assertThat(told(text, unused -> read)).as(text).isEqualTo(told(text, JsonObjectReader::parsed));
            assertThat(read.isScanned()).as(text).isEqualTo(!escapes);
            assertThat(JsonScan.endOfValue(text.strip(), 0))
                    .as(text)
                    .isEqualTo(text.strip().length());
        }
    }

    @Test
    void whatever_is_wrong_is_told_as_a_parser_tells_it() {
        int refused = 0;
        for (int i = 0; i < TEXTS; i++) {
            String text = damaged(object(3));
            String told = told(text, JsonObjectReader::parsed);
            assertThat(told(text, JsonObjectReader::of)).as(text).isEqualTo(told);
            refused += told.startsWith("refused") ? 1 : 0;
        }
        assertThat(refused).isBetween(TEXTS / 4, TEXTS);
    }

    @Test
    void no_value_ends_where_a_parser_sees_none() {
        int taken = 0;
        for (int i = 0; i < TEXTS; i++) {
            String value = damaged(value(3)).strip();
            if (JsonScan.endOfValue(value, 0) == value.length()) {
                assertThat(told("{\"a\":" + value + "}", JsonObjectReader::parsed))
                        .as(value)
                        .isEqualTo(told("{\"a\":" + value + "}", JsonObjectReader::of))
                        .startsWith("a=" + value + " ");
                taken++;
            }
        }
        assertThat(taken).isBetween(TEXTS / 10, TEXTS);
    }

    @Test
    void deep_values_are_left_to_a_parser() {
        String deep = "[".repeat(1_000) + "]".repeat(1_000);

        JsonObjectReader object = JsonObjectReader.of("{\"deep\":" + deep + ",\"after\":1}");

        assertThat(JsonScan.endOfValue(deep, 0)).isEqualTo(JsonScan.NONE);
        assertThat(object.json("deep")).isEqualTo(deep);
        assertThat(object.integer("after")).isEqualTo(1);
    }

    @Test
    void names_with_escapes_are_known_by_what_they_mean() {
        JsonObjectReader object = JsonObjectReader.of("{\"a\\u0062\":1,\"c\":\"d\\te\"}");

        assertThat(object.properties()).containsExactly(entry("ab", "1"), entry("c", "\"d\\te\""));
        assertThat(object.integer("ab")).isEqualTo(1);
        assertThat(object.string("c")).isEqualTo("d\te");
        assertThat(object.stringOrNull("ab\\u0062")).isNull();
    }

    @Test
    void of_two_properties_with_one_name_the_first_counts() {
        String twice = "{\"a\":\"first\",\"a\":\"second\"}";

        for (JsonObjectReader object : List.of(JsonObjectReader.of(twice), JsonObjectReader.parsed(twice))) {
            assertThat(object.string("a")).isEqualTo("first");
            assertThat(object.properties()).containsExactly(entry("a", "\"first\""));
        }
    }

    @Test
    void what_was_perhaps_changed_by_hand_is_read_as_far_as_it_can_be() {
        JsonObjectReader odd = JsonObjectReader.ofAny(
                "{\"text\":\"a\\tb\",\"number\":7,\"large\":1e9,\"at\":\"never\",\"of\":{\"a\":\"b\"},\"in\":[ \"x\\ty\",1],\"no\":[1]}");

        assertThat(odd.stringIfAny("text")).isEqualTo("a\tb");
        assertThat(odd.stringIfAny("number")).isNull();
        assertThat(odd.integerIfAny("number", 1)).isEqualTo(7);
        assertThat(odd.integerIfAny("large", 1)).isEqualTo(1);
        assertThat(odd.integerIfAny("text", 1)).isEqualTo(1);
        assertThat(odd.instantIfAny("at")).isNull();
        assertThat(odd.instantIfAny("number")).isNull();
        assertThat(odd.objectIfAny("of").stringIfAny("a")).isEqualTo("b");
        assertThat(odd.objectIfAny("in").properties()).isEmpty();
        assertThat(odd.objectIfAny("absent").properties()).isEmpty();
        assertThat(odd.firstStringIfAny("in")).isEqualTo("x\ty");
        assertThat(odd.firstStringIfAny("no")).isNull();
        assertThat(odd.firstStringIfAny("of")).isNull();
        assertThat(odd.stringProperties()).containsExactly(Map.entry("text", "a\tb"), Map.entry("at", "never"));
        for (String text : List.of("", "5", "[]", "null", "{\"a\"", "[".repeat(20_000))) {
            assertThat(JsonObjectReader.ofAny(text).properties()).as(text).isEmpty();
        }
    }

    private static String told(String text, Function<String, JsonObjectReader> reading) {
        try {
            JsonObjectReader object = reading.apply(text);
            List<String> told = new ArrayList<>();
            object.properties()
                    .forEach((name, value) -> told.add(name + "=" + value + " " + object.json(name) + " "
                            + object.has(name) + " " + orRefused(() -> object.stringOrNull(name)) + " "
                            + orRefused(() -> object.string(name))));
            return String.join(";", told);
        } catch (IllegalArgumentException e) {
            return "refused: " + e.getMessage();
        }
    }

    private static @Nullable String orRefused(Supplier<@Nullable String> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            return "refused: " + e.getMessage();
        }
    }

    private String object(int depth) {
        List<String> properties = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            String name = random.nextInt(20) == 0 ? "n\\u00e4me" : "n" + random.nextInt(8);
            properties.add(blanks() + '"' + name + '"' + blanks() + ':' + blanks() + value(depth - 1) + blanks());
        }
        return "{" + (properties.isEmpty() ? blanks() : String.join(",", properties)) + "}";
    }

    private String value(int depth) {
        return switch (depth <= 0 ? 0 : random.nextInt(4)) {
            case 1 -> object(depth);
            case 2 -> {
                List<String> elements = new ArrayList<>();
                for (int i = random.nextInt(4); i > 0; i--) {
                    elements.add(blanks() + value(depth - 1) + blanks());
                }
                yield "[" + (elements.isEmpty() ? blanks() : String.join(",", elements)) + "]";
            }
            default -> SCALARS[random.nextInt(SCALARS.length)];
        };
    }

    private String blanks() {
        return BLANKS[random.nextInt(BLANKS.length)];
    }

    /** One character taken out, changed, or put in. */
    private String damaged(String text) {
        int at = random.nextInt(text.length());
        char other = MUTANTS.charAt(random.nextInt(MUTANTS.length()));
        return switch (random.nextInt(3)) {
            case 0 -> text.substring(0, at) + text.substring(at + 1);
            case 1 -> text.substring(0, at) + other + text.substring(at + 1);
            default -> text.substring(0, at) + other + text.substring(at);
        };
    }
}
