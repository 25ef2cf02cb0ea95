package dev.durable.internal.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.RefusedInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What ids and names may be, and how texts are cut and shown. */
class BoundsTest {
    /** Texts are cut at a bound that is a constant, a number or a minimum. */
    private static final Pattern CUT =
            Pattern.compile("substring\\(\\s*0,\\s*(?:[A-Z][\\w.]*\\.)?(?:[A-Z_]{3,}\\s*[-)]|Math\\.min|[0-9]{2,})");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\u200bb",
                "a\u200d",
                "\u2060a",
                "\ufeffa",
                "a\u00adb", // zero-width ones, the soft hyphen
                "a\u202eb",
                "a\u2066b\u2069",
                "a\u061c",
                "\u200fa", // direction of the text
                "a\ufe0f",
                "a\udb40\udc41",
                "a\u180e",
                "a\u3164",
                "a\u115f", // selectors, tags, fillers
            })
    void what_no_reader_sees_is_no_part_of_an_id_or_a_name(String text) {
        assertThat(Bounds.isName(text)).isFalse();
        assertThatThrownBy(() -> Bounds.id("workflow id", text))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining(" has the invisible character \\u");
        assertThatThrownBy(() -> Bounds.actor(text)).isInstanceOf(RefusedInputException.class);
        assertThat(Bounds.known("workflow id", text)).as("older rows").isEqualTo(text);
        assertThat(Bounds.shown(text)).matches("\\p{ASCII}+").contains("\\u");
    }

    @ParameterizedTest
    @ValueSource(strings = {"order-42", "Bestellung Müller", "订单-7", "заказ", "pаypal", "نظام", "order \ud83d\ude00"})
    void letters_of_any_alphabet_are_taken_also_those_that_look_like_others(String text) {
        assertThat(Bounds.id("workflow id", text)).isEqualTo(text);
        assertThat(Bounds.shown(text)).isEqualTo(text);
    }

    @Test
    void a_reason_may_have_the_joiners_of_emoji_and_alphabets_and_logs_show_them_escaped() {
        String reason = "wrong \ud83d\udc68\u200d\ud83d\udcbb";

        assertThatCode(() -> Bounds.reason("cancel", reason)).doesNotThrowAnyException();
        assertThat(Bounds.lines(reason)).contains("\\u200d");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u202a", "\u202b", "\u202d", "\u202e", "\u202c", "\u2066", "\u2069", "\u200f", "\u061c"})
    void a_line_for_people_turns_nothing_around_that_stands_beside_it(String turning) {
        assertThat(Bounds.line("paid " + turning + "001" + turning)).isEqualTo("paid  001 ");
    }

    @Test
    void a_line_for_people_keeps_what_emoji_and_alphabets_need() {
        String family = "\ud83d\udc68\u200d\ud83d\udc69 \u2764\ufe0f \u0646\u200c\u0645 \udb40\udc67";

        assertThat(Bounds.line(family)).isEqualTo(family);
    }

    @Test
    void a_text_is_cut_between_characters_wherever_that_is() {
        String text = "a\ud83d\ude00b\ud83d\ude00";
        List<String> cuts = new ArrayList<>();
        for (int most = 0; most <= text.length() + 1; most++) {
            cuts.add(Bounds.cut(text, most));
        }

        assertThat(cuts).containsExactly("", "a", "a", "a\ud83d\ude00", "a\ud83d\ude00b", "a\ud83d\ude00b", text, text);
        assertThat(Bounds.cutWithMark(text, 3)).isEqualTo("a…");
        assertThat(Bounds.cutWithMark(text, 6)).isEqualTo(text);
    }

    @Test
    void nothing_else_cuts_texts_at_a_bound() throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            for (Path module : modules.filter(
                            path -> path.getFileName().toString().startsWith("durable-"))
                    .filter(path -> Files.isDirectory(path.resolve("src/main/java")))
                    .toList()) {
                try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
                    for (Path file : files.filter(path -> path.toString().endsWith(".java"))
                            .toList()) {
                        if (CUT.matcher(Files.readString(file)).find()) {
                            found.add(file.toString());
                        }
                    }
                }
            }
        }

        assertThat(found).as("Bounds.cut keeps pairs of surrogates together").isEmpty();
    }
}
