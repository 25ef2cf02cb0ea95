package dev.durable.samples.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/checklist.md} has every row of the reference systems, and what it says is shown is shown. */
class ChecklistTest {
    private static final Pattern TEST = Pattern.compile("`(\\w+)#(\\w+)`");
    private static final Pattern WORDS = Pattern.compile("(partial|left out|another issue|document): \\S.*");
    private static final int ENOUGH = 20;

    private final List<Row> rows = Documents.lines(Documents.ROOT.resolve(Path.of("docs", "checklist.md"))).stream()
            .filter(line -> line.matches("\\| (D?\\d|\\d+\\.\\d).*"))
            .map(Row::of)
            .toList();

    /**
     * A line of a table.
     *
     * @param number the reference's
     * @param text what it is here
     * @param shown by what
     */
    private record Row(String number, String text, String shown) {
        static Row of(String line) {
            String[] cells = line.split("\\|", -1);
            assertThat(cells).as("three cells, and no | within one: %s", line).hasSize(5);
            return new Row(cells[1].strip(), cells[2].strip(), cells[3].strip());
        }

        List<MatchResult> tests() {
            return TEST.matcher(shown).results().toList();
        }
    }

    @Test
    void everyRowIsThereInOrder() {
        assertThat(rows.stream().map(Row::number))
                .containsExactlyElementsOf(Stream.of(
                                numbers("D", 1, 13),
                                numbers("0.", 1, 45),
                                numbers("1.", 25, 57),
                                numbers("2.", 1, 42),
                                numbers("3.", 1, 56),
                                numbers("4.", 1, 32))
                        .flatMap(List::stream)
                        .toList());
    }

    @Test
    void everyRowNamesItsTestsOrSaysWhyThereAreNone() {
        for (Row row : rows) {
            assertThat(row.text()).as("what row %s is here", row.number()).isNotBlank();
            if (row.tests().isEmpty()) {
                assertThat(row.shown())
                        .as("row %s names no test, so it begins with what it is instead, and says it", row.number())
                        .matches(WORDS);
            }
            if (row.shown().startsWith("partial") || row.shown().startsWith("left out")) {
                assertThat(row.shown().length())
                        .as("row %s says why: %s", row.number(), row.shown())
                        .isGreaterThan(ENOUGH);
            }
        }
    }

    @Test
    void everyTestThatIsNamedExistsAndRuns() {
        TestMethods tests = TestMethods.ofAllModules();
        assertThat(rows.stream()
                        .flatMap(row -> row.tests().stream()
                                .flatMap(test -> tests.problem(test.group(1), test.group(2)).stream())
                                .map(problem -> "row " + row.number() + ": " + problem)))
                .as("docs/checklist.md names tests that show nothing")
                .isEmpty();
    }

    private static List<String> numbers(String prefix, int first, int last) {
        return IntStream.rangeClosed(first, last)
                .mapToObj(number -> prefix + number)
                .toList();
    }
}
