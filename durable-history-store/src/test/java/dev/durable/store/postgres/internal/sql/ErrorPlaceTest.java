package dev.durable.store.postgres.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.postgres.Sql;
import dev.durable.store.postgres.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;

/**
 * Errors name the function and the statement of Durable's in which they arose, and literals mean the same everywhere.
 */
class ErrorPlaceTest {
    private static TestDatabase database;

    @BeforeAll
    static void create() {
        database = TestDatabase.migrated();
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    private static SQLException errorOf(String sql) {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
            throw new AssertionError("no error of " + sql);
        } catch (SQLException e) {
            return e;
        }
    }

    @Test
    void a_data_exception_in_a_function_of_the_schema_names_the_function_and_no_value() {
        SQLException e = errorOf(
                "create or replace function durable.must(ok boolean, what text) returns void"
                        + " language plpgsql as $$ begin perform what::integer; end $$; select durable.must(true, 'secret-1999')");

        Throwable shown = StoreErrors.withoutRow(e);
        assertThat(shown)
                .hasMessageContaining(
                        "invalid text representation (its words are left out, as they may quote the value; it came of"
                                + " function must)");
        assertThat(shown.getMessage()).doesNotContain("1999");
        assertThat((Throwable) StoreErrors.withoutRow((SQLException) shown))
                .as("once more")
                .isSameAs(shown);
    }

    @Test
    void what_is_no_function_of_the_schema_is_not_shown() {
        assertThat((Throwable) StoreErrors.withoutRow(errorOf("do $$ begin perform 'secret-4711'::integer; end $$")))
                .hasMessageContaining(
                        "invalid text representation (its words are left out, as they may quote the value)")
                .hasMessageNotContaining("4711");
    }

    @Test
    void every_function_that_the_migrations_make_is_known() {
        assertThat(Sql.column(
                        database.dataSource(),
                        "select distinct proname from pg_proc where pronamespace = 'durable'::regnamespace"))
                .containsExactlyInAnyOrderElementsOf(ErrorPlace.FUNCTIONS);
    }

    @Test
    void literals_with_a_backslash_are_read_as_they_were_written_in_each_session() throws IOException {
        assertThat(Sql.column(database.dataSource(), """
                select proname from pg_proc
                 where pronamespace = 'durable'::regnamespace and strpos(prosrc, chr(92)) > 0
                   and not coalesce(proconfig, '{}') @> '{standard_conforming_strings=on}'"""))
                .as("functions whose text is parsed in the caller's session")
                .isEmpty();
        Pattern literal = Pattern.compile("(?<!E)'[^'\"]*\\\\\\\\[^'\"]*'");
        List<String> lines = new ArrayList<>();
        try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
            for (Path source :
                    sources.filter(path -> path.toString().endsWith(".java")).toList()) {
                Files.readAllLines(source).stream()
                        .filter(line -> literal.matcher(line).find())
                        .forEach(lines::add);
            }
        }
        assertThat(lines).as("statements of the engine").isEmpty();
    }

    @Test
    void a_statement_is_named_by_the_class_that_sends_it() {
        SQLException e = new PSQLException("value", PSQLState.INVALID_PARAMETER_VALUE);
        e.setStackTrace(new StackTraceElement[] {
            new StackTraceElement(Tx.class.getName(), "execute", "Tx.java", 1),
            new StackTraceElement(
                    "dev.durable.store.postgres.internal.queue.JobClaims", "lambda$0", "JobClaims.java", 1),
            new StackTraceElement("dev.durable.store.postgres.internal.run.RunClaims", "claim", "RunClaims.java", 1)
        });

        assertThat((Throwable) StoreErrors.withoutRow(e))
                .hasMessage("invalid parameter value (its words are left out, as they may quote the value; it came of a"
                        + " statement of JobClaims)");
    }
}
