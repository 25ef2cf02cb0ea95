package dev.durable.internal.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.history.Payload;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class JsonObjectWriterTest {
    private static final JsonMapper JACKSON = JsonMapper.shared();

    @Test
    void every_kind_of_property_has_its_form() {
        String written = JsonObjectWriter.object(out -> out.string("string", "text")
                .string("none", null)
                .number("long", Long.MIN_VALUE)
                .number("double", 0.1)
                .number("infinite", Double.POSITIVE_INFINITY)
                .flag("yes", true)
                .flag("no", false)
                .instant("instant", Instant.parse("2026-03-01T09:00:00.000120Z"))
                .duration("duration", Duration.ofSeconds(90))
                .uuid("uuid", new UUID(1, 2))
                .json("json", " {\"a\" : [1, 2]} ")
                .json("payload", new Payload("1.50"), Payload::json)
                .json("noPayload", null, Payload::json)
                .strings("strings", List.of("a", "b\n"))
                .strings("noStrings", List.of())
                .map("map", Map.of("b", "2", "a\"", "1"))
                .map("noMap", Map.of())
                .object("empty", object -> {})
                .objects("objects", List.of(1, 2), (value, object) -> object.number("n", value)));

        assertThat(written)
                .isEqualTo(
                        "{\"string\":\"text\",\"long\":-9223372036854775808,\"double\":0.1,\"infinite\":\"Infinity\","
                                + "\"yes\":true,\"instant\":\"2026-03-01T09:00:00.000120Z\",\"duration\":\"PT1M30S\","
                                + "\"uuid\":\"00000000-0000-0001-0000-000000000002\",\"json\": {\"a\" : [1, 2]} ,"
                                + "\"payload\":1.50,\"strings\":[\"a\",\"b\\n\"],\"map\":{\"a\\\"\":\"1\",\"b\":\"2\"},"
                                + "\"empty\":{},\"objects\":[{\"n\":1},{\"n\":2}]}");
    }

    @Test
    void no_property_is_an_empty_object() {
        assertThat(JsonObjectWriter.object(out -> {})).isEqualTo("{}");
    }

    @Test
    void an_object_that_is_written_gets_further_properties() {
        String empty = JsonObjectWriter.object(out -> {});
        String one = JsonObjectWriter.extended(empty, out -> out.number("a", 1));

        assertThat(one).isEqualTo("{\"a\":1}");
        assertThat(JsonObjectWriter.extended(one, out -> out.string("b", "}"))).isEqualTo("{\"a\":1,\"b\":\"}\"}");
        assertThat(JsonObjectWriter.extended(one, out -> {})).isEqualTo(one);
        assertThat(JsonObjectWriter.array(List.of())).isEqualTo("[]");
        assertThat(JsonObjectWriter.array(List.of("1", one))).isEqualTo("[1,{\"a\":1}]");
    }

    @Test
    void whatever_a_string_holds_comes_back() {
        Random random = new Random(5);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(12); length > 0; length--) {
                text.appendCodePoint(
                        random.nextInt(3) == 0 ? random.nextInt(0x110000) : random.nextInt(i % 2 == 0 ? 0x80 : 0x20));
            }
            String value = text.toString();

            String written = JsonObjectWriter.object(out -> out.string("a" + value, value));

            JsonNode read = JACKSON.readTree(written);
            assertThat(read.properties()).hasSize(1);
            assertThat(read.get("a" + value).stringValue()).isEqualTo(value);
            assertThat(JsonObjectReader.of(written).string("a" + value)).isEqualTo(value);
            assertThat(written)
                    .isEqualTo(LoneSurrogates.escape("{" + JACKSON.writeValueAsString("a" + value) + ":"
                            + JACKSON.writeValueAsString(value) + "}"));
        }
    }

    @Test
    void numbers_are_written_as_jackson_writes_them() {
        for (double value : new double[] {
            0,
            -0.0,
            1,
            1e7,
            9_999_999,
            1e-3,
            1e-4,
            1e300,
            Double.MIN_VALUE,
            Double.MAX_VALUE,
            Double.NaN,
            Double.NEGATIVE_INFINITY,
            2.0 / 3
        }) {
            assertThat(JsonObjectWriter.object(out -> out.number("n", value)))
                    .isEqualTo("{\"n\":" + JACKSON.writeValueAsString(value) + "}");
        }
    }

    @Test
    void half_a_character_in_embedded_text_survives() {
        assertThat(JsonObjectWriter.object(out ->
                        out.json("p", new Payload("\"\ud800\""), Payload::json).json("j", "[\"\udc00\"]")))
                .isEqualTo("{\"p\":\"\\ud800\",\"j\":[\"\\udc00\"]}");
    }

    @Test
    void no_text_is_no_value() {
        assertThatThrownBy(() -> JsonObjectWriter.object(out -> out.json("p", new Payload(nothing()), Payload::json)))
                .isInstanceOf(NullPointerException.class);
    }

    /** What a store or a codec with a fault might give. */
    @SuppressWarnings("NullAway")
    private static String nothing() {
        return null;
    }
}
