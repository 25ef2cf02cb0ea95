package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.DurableException;
import dev.durable.store.postgres.testing.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The actions of a store on the tables when it is opened. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class SchemaModesTest {
    private final TestDatabase database = TestDatabase.create();

    @AfterEach
    void drop() {
        database.close();
    }

    @Test
    void a_schema_that_needs_a_newer_library_is_refused_in_every_mode_that_looks() {
        store(SchemaMode.MIGRATE).open();
        execute("insert into durable.schema_version (version, min_library) values (99, '7.2.0')");

        for (SchemaMode mode : new SchemaMode[] {SchemaMode.MIGRATE, SchemaMode.VALIDATE}) {
            assertThatThrownBy(() -> store(mode).open())
                    .isInstanceOf(DurableException.class)
                    .hasMessage(
                            "schema \"durable\" in the database at orders-db has version 99, which needs Durable 7.2.0 or"
                                    + " newer; this is Durable 0.1.0, written for version " + Schema.version()
                                    + ". Usual cause: a newer release has upgraded the schema. Upgrade the library here, or point"
                                    + " it at another schema.");
        }
    }

    @Test
    void a_newer_schema_whose_min_library_this_one_meets_is_worked_with() {
        store(SchemaMode.MIGRATE).open();
        execute("insert into durable.schema_version (version, min_library) values (99, '0.1.0')");

        store(SchemaMode.MIGRATE).open();
        store(SchemaMode.VALIDATE).open();
    }

    @Test
    void validate_makes_nothing_and_says_who_is_to_make_it() {
        assertThatThrownBy(() -> store(SchemaMode.VALIDATE).open())
                .isInstanceOf(DurableException.class)
                .hasMessage(
                        "schema \"durable\" in the database at orders-db does not exist or holds no tables of Durable, but"
                                + " Durable 0.1.0 needs version " + Schema.version()
                                + ". Let a DBA run Schema.sql(), or open the store with SchemaMode.MIGRATE (Spring Boot:"
                                + " durable.migrate=migrate).");
        assertThat(schemas()).isZero();
    }

    @Test
    void validate_names_the_version_that_is_too_old() {
        store(SchemaMode.MIGRATE).open();
        execute("update durable.schema_version set version = version - 1");

        assertThatThrownBy(() -> store(SchemaMode.VALIDATE).open())
                .hasMessageStartingWith("schema \"durable\" in the database at orders-db has version "
                        + (Schema.version() - 1) + ", but Durable 0.1.0 needs version " + Schema.version()
                        + ". Let a DBA run Schema.sql(" + (Schema.version() - 1) + ", " + Schema.version() + "),");
    }

    @Test
    void what_a_dba_made_with_the_printed_script_is_valid_and_needs_no_migration() {
        execute(Schema.sql());

        store(SchemaMode.VALIDATE).open();
        store(SchemaMode.MIGRATE).open();
    }

    @Test
    void each_migration_stands_in_the_printed_script_and_the_last_one_is_the_version() throws Exception {
        String script = Schema.sql();
        try (Stream<Path> files = Files.list(Path.of(
                Objects.requireNonNull(Schema.class.getResource("migration")).toURI()))) {
            List<String> names =
                    files.map(file -> file.getFileName().toString()).toList();
            assertThat(names).allSatisfy(name -> assertThat(script).contains("\n-- " + name + "\n"));
            assertThat(names).anySatisfy(name -> assertThat(name).startsWith("V" + Schema.version() + "__"));
        }
    }

    @Test
    void none_takes_the_schema_as_it_is() {
        store(SchemaMode.MIGRATE).open();
        execute("insert into durable.schema_version (version, min_library) values (99, '7.2.0')");

        PostgresHistoryStore store = store(SchemaMode.NONE);
        store.open();
        assertThat(store.now()).isNotNull();
    }

    @Test
    void none_without_tables_fails_with_what_the_database_says() {
        assertThatThrownBy(() -> store(SchemaMode.NONE).open())
                .isInstanceOf(DurableException.class)
                .hasMessageContaining("the database at orders-db refused a statement")
                .hasMessageContaining("schema \"durable\" does not exist");
        assertThat(schemas()).isZero();
    }

    private PostgresHistoryStore store(SchemaMode mode) {
        return PostgresHistoryStore.builder(database.dataSource())
                .schemaMode(mode)
                .description("orders-db")
                .build();
    }

    private void execute(String sql) {
        Sql.execute(database.dataSource(), sql);
    }

    private long schemas() {
        return Sql.number(database.dataSource(), "select count(*) from pg_namespace where nspname = 'durable'");
    }
}
