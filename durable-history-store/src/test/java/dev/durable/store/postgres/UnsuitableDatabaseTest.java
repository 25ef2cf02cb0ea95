package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.DurableException;
import dev.durable.store.postgres.testing.TestDatabase;
import java.util.Locale;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A database with which the engine would fail later, for single values or from time to time, is refused when the store
 * is opened.
 */
class UnsuitableDatabaseTest {

    /** Runs a test in a database of another encoding beside that of this test. */
    private static void inDatabaseOf(String encoding, Consumer<DataSource> test) {
        try (TestDatabase near = TestDatabase.create()) {
            String name = near.name() + "_" + encoding.toLowerCase(Locale.ROOT);
            boolean saysProvider = Sql.number(near.dataSource(), "show server_version_num") >= 150_000;
            Sql.execute(
                    near.dataSource(),
                    "create database " + name + " encoding '" + encoding
                            + "' lc_collate 'C' lc_ctype 'C' template template0"
                            + (saysProvider ? " locale_provider libc" : ""));
            PGSimpleDataSource other = (PGSimpleDataSource) near.dataSource();
            other.setDatabaseName(name);
            try {
                test.accept(other);
            } finally {
                Sql.execute(near.dataSource(), "drop database " + name);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"WIN1252", "EUC_JP", "LATIN1", "LATIN9", "SQL_ASCII", "KOI8R"})
    void a_database_of_another_encoding_than_utf8_is_refused_before_anything_is_made_there(String encoding) {
        inDatabaseOf(encoding, other -> {
            try (PostgresHistoryStore store = PostgresHistoryStore.of(other)) {
                assertThatThrownBy(store::open)
                        .isInstanceOf(DurableException.class)
                        .hasMessageMatching("(?s)database \"test_.*\" at .*")
                        .hasMessageContaining("has the encoding " + encoding + ", and Durable needs UTF8")
                        .hasMessageContaining("CREATE DATABASE … ENCODING 'UTF8'");
            }
            assertThat(Sql.number(other, "select count(*) from pg_namespace where nspname = 'durable'"))
                    .isZero();
        });
    }

    @ParameterizedTest
    @EnumSource(SchemaMode.class)
    void that_is_so_whoever_makes_the_tables(SchemaMode mode) {
        inDatabaseOf("LATIN1", other -> {
            try (PostgresHistoryStore store =
                    PostgresHistoryStore.builder(other).schemaMode(mode).build()) {
                assertThatThrownBy(store::open).hasMessageContaining("has the encoding LATIN1");
            }
        });
    }

    @Test
    void sessions_in_which_no_trigger_fires_are_refused() {
        try (TestDatabase database = TestDatabase.migrated()) {
            Sql.execute(
                    database.dataSource(),
                    "alter database " + database.name() + " set session_replication_role = replica");
            try (PostgresHistoryStore store = PostgresHistoryStore.of(database.dataSource())) {
                assertThatThrownBy(store::open)
                        .isInstanceOf(DurableException.class)
                        .hasMessageContaining(
                                "session_replication_role = replica, so no trigger of Durable's tables fires")
                        .hasMessageContaining("RESET it there");
            }
        }
    }

    @Test
    void a_driver_that_is_told_to_transfer_all_in_binary_is_refused() {
        try (TestDatabase database = TestDatabase.migrated()) {
            PGSimpleDataSource dataSource = (PGSimpleDataSource) database.dataSource();
            dataSource.setPrepareThreshold(-1);
            try (PostgresHistoryStore store = PostgresHistoryStore.of(dataSource)) {
                assertThatThrownBy(store::open)
                        .isInstanceOf(DurableException.class)
                        .hasMessageContaining("have prepareThreshold=-1")
                        .hasMessageContaining("Leave it out of the JDBC URL");
            }
        }
    }
}
