package dev.durable.store.postgres.embedded.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.StoreUnavailableException;
import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** An embedded server as one process sees it. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class EmbeddedPostgresTest {
    @TempDir
    Path folder;

    @Test
    void a_server_answers_in_utc_and_utf8_and_tells_its_version() throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.temporary()) {
            assertThat(postgres.version())
                    .startsWith(System.getProperty("pg.version", "18").replaceFirst("\\..*", ""));
            assertThat(inFile(postgres, "timezone")).isEqualTo("UTC");
            assertThat(show(postgres, "server_encoding")).isEqualTo("UTF8");
            assertThat(Sql.execute(
                            postgres.dataSource(),
                            "SELECT string_agg(x, '' ORDER BY x) FROM unnest('{b,a,B,é,A}'::text[]) x"))
                    .as("text is sorted by code point")
                    .isEqualTo("ABabé");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"below/several", "Größe of \"it's\" for $1 `twice` \\"})
    void what_was_written_is_there_when_the_directory_is_opened_again(String name) throws Exception {
        Path directory = folder.resolve(name);
        try (EmbeddedPostgres postgres = EmbeddedPostgres.at(directory)) {
            Sql.execute(postgres.dataSource(), "CREATE TABLE note AS SELECT 'kept' AS text");
        }
        try (EmbeddedPostgres postgres = EmbeddedPostgres.at(directory)) {
            assertThat(Sql.execute(postgres.dataSource(), "SELECT text FROM note"))
                    .isEqualTo("kept");
        }
    }

    @Test
    void a_server_with_a_directory_waits_for_the_disk() throws Exception {
        try (EmbeddedPostgres postgres =
                EmbeddedPostgres.builder().directory(folder).durable(false).start()) {
            assertThat(durability(postgres)).isEqualTo("on on on");
        }
    }

    @Test
    void a_temporary_server_waits_for_the_disk_only_when_it_is_asked_to() throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.temporary()) {
            assertThat(durability(postgres)).isEqualTo("off off off");
        }
        try (EmbeddedPostgres postgres =
                EmbeddedPostgres.builder().durable(true).start()) {
            assertThat(durability(postgres)).isEqualTo("on on on");
        }
    }

    @Test
    void nothing_is_left_of_a_temporary_server() {
        EmbeddedPostgres postgres = EmbeddedPostgres.temporary();
        assertThat(postgres.directory()).exists();
        postgres.close();
        assertThat(postgres.directory()).doesNotExist();
    }

    @Test
    void nobody_gets_in_without_the_password() throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.at(folder)) {
            assertThat(sqlState(postgres, "wrong")).isEqualTo("28P01");
            assertThat(sqlState(postgres, null)).isEqualTo("08004");
            assertThat(Sql.execute(
                            postgres.superuserDataSource(),
                            "SELECT string_agg(DISTINCT auth_method, ',') FROM pg_hba_file_rules"))
                    .isEqualTo("scram-sha-256");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("password"))))
                    .isEqualTo("rw-------");
        }
    }

    /** The login has the name of the schema that an engine makes. */
    @Test
    void tables_without_a_schema_are_those_in_public_before_and_after_an_engine_has_made_its_own() throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.temporary()) {
            Sql.execute(postgres.dataSource(), "create table purchase (id int); insert into purchase values (43)");
            Sql.execute(postgres.dataSource(), "create schema \"" + postgres.username() + "\"");
            Sql.execute(postgres.dataSource(), "create table if not exists purchase (id int)");

            assertThat(Sql.execute(postgres.dataSource(), "select id from purchase"))
                    .isEqualTo("43");
        }
    }

    /** Up to PostgreSQL 15 a role that may make roles may take those of the server's files and programs for itself. */
    @Test
    void the_application_does_not_come_to_the_servers_programs_and_files() {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().start()) {
            for (String role : List.of("pg_execute_server_program", "pg_read_server_files", "pg_write_server_files")) {
                assertThatThrownBy(() -> Sql.execute(postgres.dataSource(), "grant " + role + " to durable"))
                        .as(role)
                        .hasMessageContaining(role);
            }
            assertThatThrownBy(() -> Sql.execute(
                            postgres.dataSource(), "create table told (line text); copy told from program 'echo'"))
                    .hasMessageContaining("to COPY to or from an external program");
        }
    }

    /** Also if it runs as root: neither the application nor the superuser of the server comes to root's files. */
    @Test
    void files_of_this_machine_are_out_of_reach() throws Exception {
        Path secret = Files.createTempFile(Path.of("/tmp"), "durable-secret-", "");
        try (EmbeddedPostgres postgres = EmbeddedPostgres.temporary()) {
            Files.writeString(secret, "of this process alone");
            assertThatThrownBy(() -> Sql.execute(postgres.dataSource(), "select pg_read_file('" + secret + "')"))
                    .hasMessageContaining("permission denied for function pg_read_file");
            assertThatThrownBy(() -> Sql.execute(postgres.dataSource(), "copy (select 1) to '" + secret + "'"))
                    .hasMessageContaining("permission denied to COPY to a file");
            if (Tree.ownerOf(secret) == 0) {
                assertThatThrownBy(() ->
                                Sql.execute(postgres.superuserDataSource(), "select pg_read_file('" + secret + "')"))
                        .hasMessageContaining("could not open file");
                assertThatThrownBy(() ->
                                Sql.execute(postgres.superuserDataSource(), "copy (select 1) to '" + secret + "'"))
                        .hasMessageContaining("could not open file");
            }
            assertThat(secret).content().isEqualTo("of this process alone");
        } finally {
            Files.delete(secret);
        }
    }

    @Test
    void two_temporary_servers_have_passwords_of_their_own() {
        try (EmbeddedPostgres one = EmbeddedPostgres.temporary();
                EmbeddedPostgres other = EmbeddedPostgres.temporary()) {
            assertThat(one.password()).hasSize(32).isNotEqualTo(other.password());
            assertThat(one.superuserPassword()).hasSize(32).isNotEqualTo(other.superuserPassword());
        }
    }

    @Test
    void a_lost_password_of_the_application_is_made_anew() throws Exception {
        String before;
        try (EmbeddedPostgres postgres = EmbeddedPostgres.at(folder)) {
            before = postgres.password();
            Sql.execute(postgres.dataSource(), "create table kept ()");
        }
        Files.delete(folder.resolve("password"));
        try (EmbeddedPostgres postgres = EmbeddedPostgres.at(folder)) {
            assertThat(postgres.password()).hasSize(32).isNotEqualTo(before);
            assertThat(Sql.execute(postgres.dataSource(), "select count(*) from kept"))
                    .isEqualTo("0");
        }
    }

    /** This process follows no link that the server's user can have written. */
    @Test
    void a_link_in_place_of_a_file_is_not_followed() throws Exception {
        portOfOneStart();
        Path victim = Files.writeString(folder.resolve("victim"), "mine");
        for (String name : List.of("durable.conf", "port", "starter", "data/server.log")) {
            Files.deleteIfExists(folder.resolve(name));
            Files.createSymbolicLink(folder.resolve(name), victim);
        }
        try {
            portOfOneStart();
        } catch (StoreUnavailableException refused) {
            assertThat(refused).hasMessageContaining(folder.toString());
        }
        assertThat(victim).content().isEqualTo("mine");
    }

    @Test
    void two_directories_have_two_passwords() {
        try (EmbeddedPostgres one = EmbeddedPostgres.at(folder.resolve("one"));
                EmbeddedPostgres other = EmbeddedPostgres.at(folder.resolve("other"))) {
            assertThat(one.password()).hasSize(32).isNotEqualTo(other.password());
        }
    }

    @Test
    void the_server_is_reached_from_this_machine_only_and_by_tcp_only() throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.temporary()) {
            assertThat(show(postgres, "listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(show(postgres, "unix_socket_directories")).isEmpty();
        }
    }

    @Test
    void settings_of_the_caller_hold() throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                .setting("work_mem", "12MB")
                .setting("application_name", "it's \\ mine")
                .start()) {
            assertThat(show(postgres, "work_mem")).isEqualTo("12MB");
            assertThat(inFile(postgres, "application_name")).isEqualTo("it's \\ mine");
        }
    }

    @Test
    void a_directory_keeps_its_port_and_takes_another_when_that_one_is_taken() throws Exception {
        int first = portOfOneStart();
        assertThat(portOfOneStart()).isEqualTo(first);
        try (ServerSocket somebody = new ServerSocket(first, 1, InetAddress.getLoopbackAddress())) {
            assertThat(portOfOneStart()).isNotEqualTo(somebody.getLocalPort());
        }
    }

    @Test
    void a_port_that_is_asked_for_is_used() throws Exception {
        int free = portOfOneStart();
        try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().port(free).start()) {
            assertThat(postgres.port()).isEqualTo(free);
            assertThat(postgres.jdbcUrl()).isEqualTo("jdbc:postgresql://127.0.0.1:" + free + "/postgres");
        }
    }

    @Test
    void within_one_process_too_the_last_to_close_stops_the_server() throws Exception {
        EmbeddedPostgres first = EmbeddedPostgres.at(folder);
        EmbeddedPostgres second = EmbeddedPostgres.at(folder);
        assertThat(second.port()).isEqualTo(first.port());
        assertThat(second.password()).isEqualTo(first.password());

        first.close();
        first.close();
        assertThat(Sql.execute(second.dataSource(), "SELECT 1")).isEqualTo("1");

        second.close();
        assertThat(new ServerDirectory(folder, false).server()).isEmpty();
    }

    @Test
    void a_pool_is_closed_together_with_the_server() throws Exception {
        EmbeddedPostgres postgres = EmbeddedPostgres.temporary();
        DataSource pool = postgres.pooledDataSource(2);
        assertThat(Sql.execute(pool, "SELECT 1")).isEqualTo("1");
        postgres.close();
        assertThatThrownBy(pool::getConnection).isInstanceOf(SQLException.class).hasMessageContaining("closed");
    }

    @Test
    void a_log_that_has_grown_is_begun_anew() throws Exception {
        portOfOneStart();
        Path log = folder.resolve("data/server.log");
        Files.writeString(log, "x".repeat(2 << 20));
        portOfOneStart();
        assertThat(log).content().contains("starting PostgreSQL").hasSizeLessThan(10_000);
        // The server's last line may come when its directory counts as left already.
        assertThat(Files.size(folder.resolve("data/server.log.1"))).isBetween(2L << 20, (2L << 20) + 1_000);
    }

    @Test
    void a_statement_that_fails_is_not_written_to_the_log() throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.at(folder)) {
            assertThatThrownBy(() -> Sql.execute(postgres.dataSource(), "SELECT 1/0"))
                    .isInstanceOf(SQLException.class);
        }
        assertThat(folder.resolve("data/server.log")).content().doesNotContain("division");
    }

    private int portOfOneStart() {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.at(folder)) {
            return postgres.port();
        }
    }

    private static String durability(EmbeddedPostgres postgres) throws SQLException {
        return show(postgres, "fsync") + " " + show(postgres, "synchronous_commit") + " "
                + show(postgres, "full_page_writes");
    }

    private static String show(EmbeddedPostgres postgres, String setting) throws SQLException {
        return Sql.execute(postgres.dataSource(), "SHOW " + setting);
    }

    /** For what the driver sets, too. */
    private static String inFile(EmbeddedPostgres postgres, String setting) throws SQLException {
        return Sql.execute(
                postgres.superuserDataSource(),
                "SELECT setting FROM pg_file_settings WHERE applied AND lower(name) = '" + setting + "'");
    }

    private static String sqlState(EmbeddedPostgres postgres, String password) {
        PGSimpleDataSource source = (PGSimpleDataSource) postgres.dataSource();
        source.setPassword(password);
        try (Connection connection = source.getConnection()) {
            return "connected: " + connection;
        } catch (SQLException refused) {
            return refused.getSQLState();
        }
    }
}
