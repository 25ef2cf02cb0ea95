package dev.durable.samples.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code docs/features.md} and {@code docs/conformance.md}: each row has a state, and the tests that it names exist and run. */
class FeaturesTest {
    private static final Pattern TEST = Pattern.compile("`(\\w+)(?:\\.(\\w+))?#(\\w+)`");
    private static final Pattern STATE = Pattern.compile("there|partly|no|not yet: \\S.*");
    private static final Pattern NO_TEST = Pattern.compile("(does not apply|not yet): \\S.*");
    private static final int FEATURES = 99;
    private static final int IDEAS = 22;
    private static final int BEHAVIOURS_WITH_A_TEST = 120;

    /**
     * A line of a table, but for its head.
     *
     * @param document that has it
     * @param cells without the bars
     */
    private record Row(String document, List<String> cells) {
        String first() {
            return cells.getFirst();
        }

        List<MatchResult> tests() {
            return cells.stream().flatMap(cell -> TEST.matcher(cell).results()).toList();
        }
    }

    private static List<Row> rows(String document, int cells) {
        List<Row> rows = Documents.lines(Documents.ROOT.resolve(Path.of("docs", document))).stream()
                .filter(line -> line.startsWith("|") && !line.matches("\\|(---\\|)+|\\| (#|behaviour) \\|.*"))
                .map(line -> line.substring(1, line.lastIndexOf('|')))
                .map(line -> new Row(
                        document,
                        Arrays.stream(line.split("\\|", -1)).map(String::strip).toList()))
                .toList();
        assertThat(rows)
                .as("%s: each row has %s cells, and no | within one", document, cells)
                .isNotEmpty()
                .allMatch(row -> row.cells().size() == cells);
        return rows;
    }

    private static List<Row> features() {
        return rows("features.md", 5);
    }

    private static List<Row> conformance() {
        return rows("conformance.md", 3);
    }

    @Test
    void everyFeatureIsThereInOrder() {
        assertThat(features().stream().map(Row::first))
                .containsExactlyElementsOf(
                        Stream.of(numbers("", 1, FEATURES), numbers("M", 1, IDEAS), numbers("", 100, 113))
                                .flatMap(List::stream)
                                .toList());
    }

    @Test
    void everyFeatureHasAStateAndWhatIsThereIsShown() {
        for (Row row : features()) {
            String state = row.cells().get(2);
            assertThat(state).as("state of feature %s", row.first()).matches(STATE);
            if (state.equals("there") || state.equals("partly")) {
                assertThat(row.tests())
                        .as("feature %s is %s, so its row names a test, as `Class#method`", row.first(), state)
                        .isNotEmpty();
            }
            if (!state.startsWith("not yet")) {
                assertThat(row.cells().get(3))
                        .as("feature %s: what it is here, or why it is left out", row.first())
                        .isNotBlank();
            }
        }
    }

    @Test
    void everyBehaviourNamesItsTestOrSaysWhyThereIsNone() {
        for (Row row : conformance()) {
            String shown = row.cells().get(1);
            if (row.tests().isEmpty()) {
                assertThat(shown)
                        .as("docs/conformance.md names no test, so it says why: %s", row.first())
                        .matches(NO_TEST);
            }
            assertThat(row.cells().get(2))
                    .as("the list that has this behaviour: %s", row.first())
                    .matches("[CRT] .+|[CRT]");
        }
        assertThat(conformance())
                .filteredOn(row -> !row.tests().isEmpty())
                .as("behaviours with a test")
                .hasSizeGreaterThanOrEqualTo(BEHAVIOURS_WITH_A_TEST);
    }

    @ParameterizedTest
    @ValueSource(strings = {"features.md", "conformance.md"})
    void everyTestThatIsNamedExistsAndRuns(String document) {
        TestMethods tests = TestMethods.ofAllModules();
        List<Row> rows = document.equals("features.md") ? features() : conformance();
        assertThat(rows.stream().flatMap(row -> row.tests().stream().flatMap(test -> problems(tests, test))))
                .as("docs/%s names tests that show nothing", document)
                .isEmpty();
    }

    /** A nested class is named by the class around it, whose file has it. */
    private static Stream<String> problems(TestMethods tests, MatchResult test) {
        String nested = test.group(2);
        if (nested != null && !hasClass(test.group(1), nested)) {
            return Stream.of(test.group(1) + " has no class " + nested);
        }
        return tests.problem(test.group(1), test.group(3)).stream();
    }

    private static boolean hasClass(String outer, String nested) {
        return Documents.testSources().stream()
                .filter(source -> source.getFileName().toString().equals(outer + ".java"))
                .flatMap(source -> Documents.lines(source).stream())
                .anyMatch(line -> line.matches(".*\\bclass " + nested + "\\b.*"));
    }

    private static List<String> numbers(String prefix, int first, int last) {
        return IntStream.rangeClosed(first, last)
                .mapToObj(number -> prefix + number)
                .toList();
    }
}
