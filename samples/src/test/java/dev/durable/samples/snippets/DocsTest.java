package dev.durable.samples.snippets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.durable.samples.snippets.Documents.Block;
import dev.durable.store.postgres.testing.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the Java, Kotlin and SQL of the documents run as shown, and that their links and names of tests lead somewhere. */
class DocsTest {
    private static final Pattern TEST = Pattern.compile("`(\\w+)#(\\w+)`");
    private static final Pattern COLUMN = Pattern.compile("(those of )?`([a-z_]+)`");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)");

    /** Where the pieces are that blocks of a language show. */
    private static Map<String, String> pieces(String language) {
        return (language.equals("kotlin") ? Regions.of(Documents.kotlinSources()) : Regions.ofAllTests()).texts();
    }

    @ParameterizedTest
    @ValueSource(strings = {"java", "kotlin"})
    void everyBlockIsAPieceOfAPassingTest(String language) {
        Map<String, String> regions = pieces(language);
        for (Block block : Documents.blocks(language)) {
            String region = regions.get(block.name());
            assertThat(region)
                    .as(
                            "%s: a block of %s names the piece of test that it shows, as in ```java engine; \"%s\" is none of %s. "
                                    + "Mark one in a test with // docs: NAME and // docs: end.",
                            block.where(), language, block.name(), regions.keySet())
                    .isNotNull();
            assertThat(block.text())
                    .as(
                            "%s: the block differs from // docs: %s in the tests. Copy it from there into the document.",
                            block.where(), block.name())
                    .isEqualTo(region);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"java", "kotlin"})
    void everyMarkedPieceIsShownSomewhere(String language) {
        assertThat(Documents.blocks(language).stream().map(Block::name))
                .as("marked with // docs: NAME in a test, and shown as ```%s NAME in a document", language)
                .containsAll(pieces(language).keySet());
    }

    @Test
    void everySqlBlockRunsAndFindsSomething() {
        try (TestDatabase database = TestDatabase.create()) {
            DataSource dataSource = database.pooledDataSource(12);
            new QuickStartTest().fulfil(dataSource);
            DSLContext sql = DSL.using(dataSource, SQLDialect.POSTGRES);
            List<Block> blocks = Documents.blocks("sql");
            assertThat(blocks).isNotEmpty();
            for (Block block : blocks) {
                Stream.of(block.text().split(";\\s*(\n|$)")).forEach(statement -> run(sql, block, statement));
            }
        }
    }

    private static void run(DSLContext sql, Block block, String statement) {
        try {
            assertThat(sql.fetch(statement))
                    .as(
                            "%s: on a database with the finished order-42, this finds nothing: %s",
                            block.where(), statement)
                    .isNotEmpty();
        } catch (DataAccessException e) {
            fail(
                    block.where() + ": the block of SQL does not run; correct it, or fence it as ```text: "
                            + e.getMessage(),
                    e);
        }
    }

    @Test
    void everyGuaranteeNamesTestsThatExist() throws Exception {
        Path guarantees = Documents.ROOT.resolve("docs/guarantees.md");
        Map<String, String> sources = Documents.testSources().stream()
                .collect(Collectors.toMap(
                        path -> path.getFileName().toString(), DocsTest::text, (one, other) -> one + other));
        for (String row : Files.readAllLines(guarantees)) {
            if (row.startsWith("| ") && !row.startsWith("| promise")) {
                List<MatchResult> named = TEST.matcher(row).results().toList();
                assertThat(named)
                        .as("each promise names the test that shows it, as `Class#method`: %s", row)
                        .isNotEmpty();
                for (MatchResult test : named) {
                    assertThat(sources.getOrDefault(test.group(1) + ".java", ""))
                            .as("docs/guarantees.md names %s, and there is no such test", test.group())
                            .containsPattern("(void|Stream<DynamicTest>) " + test.group(2) + "\\(");
                }
            }
        }
    }

    @Test
    void everyLinkWithinTheRepositoryLeadsSomewhere() {
        for (Path document : Documents.documents()) {
            LINK.matcher(text(document))
                    .results()
                    .forEach(link -> assertThat(document.resolveSibling(link.group(1)))
                            .as("a link in %s", Documents.ROOT.relativize(document))
                            .exists());
        }
    }

    @Test
    void everyDecisionStandsInTheIndexWithItsTitle() {
        Path decisions = Documents.ROOT.resolve("docs/decisions");
        String index = text(decisions.resolve("README.md"));
        for (Path decision : Documents.decisions()) {
            String title = Documents.lines(decision).getFirst();
            assertThat(title)
                    .as("docs/decisions/%s begins with its number and title", decision.getFileName())
                    .matches("# \\d+[.] \\S.*");
            String row =
                    "| [" + title.substring("# ".length()).replaceFirst("[.] ", "](" + decision.getFileName() + ") | ");
            assertThat(index)
                    .as("docs/decisions/README.md has a row for each decision: number, title, and a sentence")
                    .contains(row + " | ");
        }
        assertThat(LINK.matcher(index).results())
                .as("a row of docs/decisions/README.md for each decision")
                .hasSameSizeAs(Documents.decisions());
    }

    @Test
    void theGlossaryHasEveryTableAndColumnOfTheSchema() {
        try (TestDatabase database = TestDatabase.migrated()) {
            Map<String, Set<String>> tables = DSL
                    .using(database.dataSource(), SQLDialect.POSTGRES)
                    .fetch("""
                            select c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
                             where c.relnamespace = 'durable'::regnamespace and c.relkind in ('r', 'p')
                               and not c.relispartition and a.attnum > 0 and not a.attisdropped""")
                    .intoGroups(row -> row.get(0, String.class), row -> row.get(1, String.class))
                    .entrySet()
                    .stream()
                    .collect(Collectors.toMap(Map.Entry::getKey, columns -> Set.copyOf(columns.getValue())));

            assertThat(tables)
                    .as("docs/concepts.md, \"Tables and columns\": a row for each table, with its columns")
                    .isEqualTo(tablesOfTheGlossary());
        }
    }

    private static Map<String, Set<String>> tablesOfTheGlossary() {
        Map<String, Set<String>> tables = new HashMap<>();
        String glossary = text(Documents.ROOT.resolve("docs/concepts.md"));
        for (String row : glossary.split("### Tables and columns", -1)[1].split("### ", -1)[0].split("\n", -1)) {
            if (row.startsWith("| `")) {
                String[] cells = row.split("\\|", -1);
                Set<String> columns = new HashSet<>();
                for (MatchResult name : COLUMN.matcher(cells[3]).results().toList()) {
                    columns.addAll(name.group(1) == null ? Set.of(name.group(2)) : tables.get(name.group(2)));
                }
                tables.put(cells[1].strip().replace("`", ""), columns);
            }
        }
        return tables;
    }

    private static String text(Path file) {
        return String.join("\n", Documents.lines(file));
    }
}
