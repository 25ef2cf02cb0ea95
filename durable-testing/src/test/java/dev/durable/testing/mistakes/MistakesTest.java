package dev.durable.testing.mistakes;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.catchThrowable;

import dev.durable.testing.TestEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Mistakes of authors, and the whole text that they read: {@code mistakes.md} has it, a heading for each case. After a
 * change of texts or a new case, run with {@code -Dmistakes=write}, and read the difference as an author who has made
 * the mistake.
 */
@Timeout(10)
class MistakesTest {
    private static final Path FILE = Path.of("src/test/resources/mistakes.md");
    private static final String HEADING = "## ";
    private static final boolean WRITES = "write".equals(System.getProperty("mistakes"));
    private static final Map<String, String> SAID = new LinkedHashMap<>();

    static Stream<Mistake> mistakes() {
        return Mistake.all();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mistakes")
    void says(Mistake mistake) throws IOException {
        TestEngine engine = TestEngine.create();
        Throwable thrown;
        try {
            thrown = catchThrowable(() -> mistake.code().run(engine));
        } finally {
            // What is wrong has been said; the histories of wrong code need not replay.
            engine.withoutReplayCheck().close();
        }
        SAID.put(mistake.name(), text(thrown));

        assertThat(thrown).as("what %s throws", mistake).isNotNull();
        if (!WRITES) {
            assertThat(text(thrown)).isEqualTo(expected().get(mistake.name()));
        }
    }

    @Test
    void each_case_has_a_text_and_each_text_a_case() throws IOException {
        List<String> names = Mistake.all().map(Mistake::name).toList();

        assertThat(names).doesNotHaveDuplicates();
        if (!WRITES) {
            assertThat(expected()).containsOnlyKeys(names);
        }
    }

    @AfterAll
    static void write() throws IOException {
        if (WRITES) {
            Files.writeString(
                    FILE,
                    SAID.entrySet().stream()
                            .map(said -> HEADING + said.getKey() + "\n" + said.getValue() + "\n")
                            .collect(Collectors.joining("\n")));
        }
    }

    private static Map<String, String> expected() throws IOException {
        return Stream.of(Files.readString(FILE).split("(?m)^" + HEADING))
                .filter(section -> !section.isBlank())
                .collect(Collectors.toMap(
                        section -> section.lines().findFirst().orElseThrow(),
                        section -> section.lines()
                                .skip(1)
                                .collect(Collectors.joining("\n"))
                                .strip()));
    }

    /** Without what differs from run to run: line numbers, ids, times, the stack below a stall. */
    static String text(@Nullable Throwable thrown) {
        Throwable said =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        return String.valueOf(said == null ? "nothing was thrown" : said.getMessage())
                .replaceAll("(?m)^    at .*\\R?", "")
                .replaceAll("\\.java:\\d+\\)", ".java:0)")
                .replaceAll("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<id>")
                .replaceAll("because \"[^\"]+\" is null", "because \"<variable>\" is null")
                .replaceAll("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z", "<time>")
                .replaceAll("\\d{9,}", "<number>")
                .replaceAll(", startToClose=.*…", ", …")
                .replaceAll("thread '(main|ForkJoin[^']*|Test worker[^']*)'", "thread '<test>'")
                .replaceAll("(?<=\\S)   +", "   ")
                .strip();
    }
}
