package dev.durable.store.postgres.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.durable.DurableException;
import dev.durable.store.contract.NewRunBuilder;
import dev.durable.store.postgres.Meanwhile;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.PostgresHistoryStoreBuilder;
import dev.durable.store.postgres.Schema;
import dev.durable.store.postgres.SchemaMode;
import dev.durable.store.postgres.Sql;
import dev.durable.store.postgres.internal.sql.DataSources;
import dev.durable.store.postgres.internal.sql.SchemaName;
import dev.durable.store.postgres.internal.sql.StoreErrors;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Tests the migration of a schema from one version to the next. There is one version so far: the migrations that follow
 * it here, {@link NextMigrations}, are files of this test.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class MigrationTest {
    private static final SchemaName SCHEMA = new SchemaName("durable");
    private static final int BASELINE = Migrations.OF_LIBRARY.version();
    private static final Migrations NEXT = NextMigrations.ALL;
    /** A part that psql would send at once: a transaction, a check, an index. */
    private static final Pattern PIECE = Pattern.compile(
            "(?ms)^begin;\n.*?^commit;\n|^do \\$index\\$.*?^end \\$index\\$;\n|^create index concurrently.*?;\n");

    private final TestDatabase database = TestDatabase.create();
    private final DataSource dataSource = database.dataSource();

    @AfterEach
    void drop() {
        database.close();
    }

    private PostgresHistoryStoreBuilder builder() {
        return PostgresHistoryStore.builder(dataSource).description("orders-db");
    }

    /** Brings the schema to the last version of {@link #NEXT}, and works with it. */
    private void assertThatItWorks() {
        migration(Duration.ofMinutes(1)).run(SchemaMode.MIGRATE);
        try (PostgresHistoryStore store = builder().build()) {
            store.open();
            NewRunBuilder run = new NewRunBuilder(store, "order-1");
            store.start(List.of(run.build()));
            assertThat(store.history(run.key().runId(), 1, 10)).hasSize(1);
        }
        assertThat(version()).isEqualTo(NEXT.version());
        assertThat(Sql.column(dataSource, "select indexdef from pg_indexes where indexname = 'activity_job_retried'"))
                .singleElement()
                .asString()
                .contains("(activity, run_id, seq)");
    }

    private static String script(int from, int to) {
        return NEXT.script(SCHEMA, "durable", from, to);
    }

    private long version() {
        return Sql.number(dataSource, "select max(version) from durable.schema_version");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void a_schema_of_an_older_version_becomes_one_of_this(int version) {
        Sql.execute(dataSource, script(0, version));

        assertThatItWorks();
    }

    /** An index is built beside the transaction that has the turn. */
    @Test
    void a_pool_of_one_connection_is_told_that_two_are_needed() {
        Sql.execute(dataSource, script(0, 2));
        try (HikariDataSource one = new HikariDataSource()) {
            one.setDataSource(dataSource);
            one.setMaximumPoolSize(1);
            one.setConnectionTimeout(250);

            assertThatThrownBy(() -> migration(one, Duration.ofMinutes(1)).run(SchemaMode.MIGRATE))
                    .isInstanceOf(DurableException.class)
                    .hasMessageContaining("needs a second connection");
        }
    }

    @Test
    void a_limit_on_transactions_ends_no_migration() {
        assumeThat(Sql.number(dataSource, "select count(*) from pg_settings where name = 'transaction_timeout'"))
                .isPositive();
        Sql.execute(dataSource, script(0, 2));
        PGSimpleDataSource limited = (PGSimpleDataSource) database.dataSource();
        limited.setOptions("-c transaction_timeout=300ms");
        Ddl ddl = new Ddl(limited, new SchemaName("durable"), new StoreErrors("orders-db"), Duration.ofSeconds(5));

        ddl.transaction("slow", turn -> {
            turn.execute("select pg_sleep(0.5)");
            ddl.alone(turn, "select pg_sleep(0.5)");
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void a_dba_brings_it_there_with_the_script_from_one_version_to_another(int version) throws SQLException {
        Sql.execute(dataSource, script(0, version));
        run(script(version, NEXT.version()));

        PostgresHistoryStore.builder(dataSource)
                .schemaMode(SchemaMode.VALIDATE)
                .build()
                .open();
        assertThatItWorks();
    }

    @Test
    void the_script_from_one_version_to_another_refuses_a_schema_of_another_version_and_does_nothing() {
        Sql.execute(dataSource, script(0, BASELINE));

        assertThatThrownBy(() -> run(script(3, 5)))
                .hasMessageContaining("this brings schema version 3 to 5, and the schema has another");
        assertThat(version()).isEqualTo(BASELINE);
    }

    @Test
    void an_index_whose_build_was_broken_off_is_no_index_for_the_script() {
        Sql.execute(dataSource, script(0, 2));
        brokenOff();

        assertThatThrownBy(() -> run(script(2, 3)))
                .hasMessageContaining("index activity_job_retried_anew was not finished");
    }

    /** Runs a script as psql does. */
    private void run(String script) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            Matcher pieces = PIECE.matcher(script);
            while (pieces.find()) {
                statement.execute(pieces.group());
            }
        }
    }

    @Test
    void there_is_no_script_from_or_to_a_version_that_never_was() {
        assertThatThrownBy(() -> script(4, 5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("there is no script from schema version 4 to 5: versions are [1, 2, 3, 5], and 0 is none.");
        assertThatThrownBy(() -> script(3, 2)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> script(1, 1000)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Schema.sql(0, 1000)).isInstanceOf(IllegalArgumentException.class);
    }

    /** The search_path may be any, as behind a pooler the server connection may have any. */
    @Test
    void every_name_is_qualified() throws SQLException {
        Sql.execute(dataSource, script(0, BASELINE));
        run(script(BASELINE, NEXT.version()));

        assertThat(Sql.column(dataSource, "select relname from pg_class where relnamespace = 'public'::regnamespace"))
                .isEmpty();
        assertThat(Sql.column(dataSource, "select proname from pg_proc where pronamespace = 'public'::regnamespace"))
                .isEmpty();
    }

    /** An index on a table that is there already, built in a transaction, blocks all writers of the table meanwhile. */
    @Test
    void no_index_is_built_in_a_transaction_on_a_table_that_was_there_before() {
        for (MigrationStep step : NEXT.stepsAfter(BASELINE, SCHEMA, "durable")) {
            Matcher index = Pattern.compile(
                            "(?m)^create (?:unique )?index (?!concurrently)\\w+ on \"durable\"\\.(\\w+)")
                    .matcher(step.sql());
            while (index.find()) {
                assertThat(step.sql())
                        .as("version %s", step.version())
                        .contains("create table \"durable\"." + index.group(1) + " ");
            }
        }
    }

    @Test
    void several_processes_that_start_at_once_take_turns() {
        Sql.execute(dataSource, script(0, BASELINE));
        List<Meanwhile<Boolean>> processes = IntStream.range(0, 4)
                .mapToObj(i -> Meanwhile.of(() -> {
                    migration(Duration.ofMinutes(1)).run(SchemaMode.MIGRATE);
                    return true;
                }))
                .toList();

        processes.forEach(process -> assertThat(process.get()).isTrue());
        assertThatItWorks();
    }

    @Test
    void several_processes_that_start_at_once_make_one_schema() {
        List<Meanwhile<Boolean>> processes = IntStream.range(0, 4)
                .mapToObj(i -> Meanwhile.of(() -> {
                    builder().build().open();
                    return true;
                }))
                .toList();

        processes.forEach(process -> assertThat(process.get()).isTrue());
        assertThatItWorks();
    }

    /**
     * Of two processes that open the schema at once, one grants the rights while the other creates the first partition.
     */
    @Test
    void a_partition_that_is_made_while_another_process_gives_rights_is_made() throws SQLException {
        Sql.execute(dataSource, Schema.sql());
        Meanwhile<Boolean> second;
        try (Connection first = dataSource.getConnection()) {
            first.setAutoCommit(false);
            try (Statement statement = first.createStatement()) {
                statement.execute("grant select on durable.history_event to durable_worker");
            }
            second = Meanwhile.of(() -> {
                builder().build().open();
                return true;
            });
            assertThat(Sql.await(
                            Duration.ofSeconds(10),
                            () -> Sql.number(dataSource, "select count(*) from pg_locks where not granted") > 0))
                    .isTrue();
            first.commit();
        }

        assertThat(second.get()).isTrue();
        assertThatItWorks();
    }

    /** The process died between the index and the rest, or in the middle of the index. */
    @Test
    void what_died_between_two_steps_is_gone_on_with() {
        Sql.execute(dataSource, script(0, 2));
        concurrentStep().forEach(step -> Sql.execute(dataSource, step.sql()));
        assertThatItWorks();
    }

    @Test
    void an_index_whose_build_was_broken_off_is_built_anew() {
        Sql.execute(dataSource, script(0, 2));
        brokenOff();

        assertThatItWorks();
        assertThat(Sql.column(dataSource, "select 1 from pg_index where not indisvalid"))
                .isEmpty();
    }

    private void brokenOff() {
        concurrentStep().forEach(step -> Sql.execute(dataSource, step.sql()));
        Sql.execute(
                dataSource,
                "update pg_index set indisvalid = false where indexrelid = 'durable.activity_job_retried_anew'::regclass");
    }

    private static Stream<MigrationStep> concurrentStep() {
        return NEXT.stepsAfter(2, SCHEMA, "durable").stream().filter(step -> step.index() != null);
    }

    @Test
    void nothing_stays_in_the_session_of_the_pool() {
        Sql.execute(dataSource, script(0, BASELINE));
        DataSource pool = database.pooledDataSource(2);
        migration(pool, Duration.ofMinutes(1)).run(SchemaMode.MIGRATE);
        PostgresHistoryStore.of(pool).open();

        String searchPath =
                Sql.column(dataSource, "select current_setting('search_path')").getFirst();
        for (int i = 0; i < 2; i++) {
            assertThat(
                            Sql.column(
                                    pool,
                                    "select current_setting(s) from unnest(array['search_path', 'lock_timeout', 'statement_timeout']) s"))
                    .containsExactly(searchPath, "0", "0");
        }
    }

    @Test
    void a_table_that_others_hold_for_too_long_is_left_and_who_holds_it_is_named() throws SQLException {
        Sql.execute(dataSource, script(0, BASELINE));
        PGSimpleDataSource report = (PGSimpleDataSource) database.dataSource();
        report.setApplicationName("monthly report");
        try (Connection reader = report.getConnection();
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            statement.execute("select count(*) from durable.outbox");

            assertThatThrownBy(() -> migration(Duration.ofMillis(300)).run(SchemaMode.MIGRATE))
                    .isInstanceOf(DurableException.class)
                    .hasMessageStartingWith("schema \"durable\" can't be brought to version " + NEXT.version()
                            + " (its version 2): not within PT0.3S, as a table is locked by others in the database at"
                            + " orders-db. Nothing of this step was done. Usual cause: a transaction that was left open, a"
                            + " long report, or a dump. The oldest transactions that hold tables of schema \"durable\" are"
                            + " pid ")
                    .hasMessageContaining("(monthly report) since ")
                    .hasMessageContaining("select count(*) from durable.outbox")
                    .hasMessageEndingWith(
                            "Wait for it to end or end it (select pg_terminate_backend(pid)), then try again.");
            assertThat(version()).isEqualTo(BASELINE);
        }
        assertThatItWorks();
    }

    private Migration migration(Duration patience) {
        return migration(dataSource, patience);
    }

    private static Migration migration(DataSource owner, Duration patience) {
        return new Migration(owner, null, SCHEMA, null, new StoreErrors("orders-db"), patience, NEXT);
    }

    @Test
    void the_owner_migrates_and_the_application_needs_no_right_to_create_anything() {
        String role = "app_" + database.name();
        Sql.execute(dataSource, "create role " + role + " login password 'x'");
        try {
            PGSimpleDataSource application = (PGSimpleDataSource) database.dataSource();
            application.setUser(role);
            application.setPassword("x");

            assertThatThrownBy(() -> PostgresHistoryStore.builder(application)
                            .description("orders-db")
                            .build()
                            .open())
                    .isInstanceOf(DurableException.class)
                    .hasMessageStartingWith(
                            "schema \"durable\" can't be brought to version " + Schema.version()
                                    + ": the database at orders-db refused it (SQLSTATE 42501): ERROR: permission denied for database")
                    .hasMessageEndingWith(
                            "Usual cause: the database user may not create schemas or tables. Give the owner's"
                                    + " DataSource to migrationDataSource(…) (Spring Boot: durable.migration-url and so on), grant this"
                                    + " user CREATE on the database, or let a DBA run Schema.sql() and open the store with"
                                    + " SchemaMode.VALIDATE (Spring Boot: durable.migrate=validate).");

            assertThatThrownBy(() -> PostgresHistoryStore.builder(application)
                            .description("orders-db")
                            .migrationDataSource(dataSource)
                            .build()
                            .open())
                    .as("made, but this user is no worker yet")
                    .hasMessageContaining("permission denied for schema durable")
                    .hasMessageContaining(
                            "this database user lacks the role durable_worker. Let the schema's owner grant it");
            assertThatThrownBy(() -> PostgresHistoryStore.builder(application)
                            .description("orders-db")
                            .build()
                            .open())
                    .hasMessage(
                            "schema \"durable\" in the database at orders-db can't be read: ERROR: permission denied for"
                                    + " schema durable. Usual cause: this database user lacks the role durable_worker. Let the"
                                    + " schema's owner grant it, and run Schema.grants() if the role was made after the"
                                    + " schema.");
            Sql.execute(dataSource, "grant durable_worker to " + role);
            try (PostgresHistoryStore store = PostgresHistoryStore.of(application)) {
                store.open();
                store.start(List.of(new NewRunBuilder(store, "order-1").build()));
            }
        } finally {
            Sql.execute(dataSource, "drop owned by " + role + "; drop role " + role);
        }
    }

    @Test
    void an_owner_who_can_not_log_in_is_not_taken_for_the_application() {
        PGSimpleDataSource owner = (PGSimpleDataSource) database.dataSource();
        owner.setUser("nobody_of_this_name");
        owner.setPassword("wrong");
        assertThatThrownBy(() -> PostgresHistoryStore.builder(dataSource)
                        .description("orders-db")
                        .migrationDataSource(owner)
                        .build()
                        .open())
                .hasMessageStartingWith("the database at (migrationDataSource) " + DataSources.describe(owner))
                .hasMessageNotContaining("orders-db");
    }

    @Test
    void an_owner_whose_data_source_leads_to_another_database_is_told_so() {
        try (TestDatabase other = TestDatabase.create()) {
            assertThatThrownBy(() -> PostgresHistoryStore.builder(dataSource)
                            .description("orders-db")
                            .migrationDataSource(other.dataSource())
                            .build()
                            .open())
                    .isInstanceOf(DurableException.class)
                    .hasMessage("schema \"durable\" has version " + Schema.version()
                            + " in the database at (migrationDataSource) " + DataSources.describe(other.dataSource())
                            + ", and is not there in the database at orders-db. Usual"
                            + " cause: the two lead to different databases.");
        }
    }

    @Test
    void a_server_that_is_too_old_is_refused_by_name() {
        assertThatThrownBy(() -> migration(Duration.ZERO).refuseOlder("PostgreSQL 13.22", 13))
                .isInstanceOf(DurableException.class)
                .hasMessage("the database at orders-db is PostgreSQL 13.22, but Durable needs PostgreSQL 14 or newer."
                        + " Upgrade the server, or give Durable another DataSource.");
        migration(Duration.ZERO).refuseOlder("PostgreSQL 14.0", 14);
    }
}
