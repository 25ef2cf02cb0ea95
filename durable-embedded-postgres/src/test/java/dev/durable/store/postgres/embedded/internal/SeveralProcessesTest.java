package dev.durable.store.postgres.embedded.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.StoreUnavailableException;
import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** One directory, several processes, some of which are killed. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class SeveralProcessesTest {
    @TempDir
    Path folder;

    private final List<OtherProcess> others = new ArrayList<>();
    private Path directory;

    @BeforeEach
    void makeDirectory() {
        directory = folder.resolve("postgres");
    }

    @AfterEach
    void killTheOthers() throws Exception {
        for (OtherProcess other : others) {
            other.kill();
        }
        ProcessHandle server = server();
        if (server != null) {
            awaitEnd(server);
        }
    }

    @Test
    void the_second_process_attaches_to_the_server_of_the_first_which_stops_with_the_last() throws Exception {
        OtherProcess first = other();
        int port = first.port();
        ProcessHandle server = server();
        try (EmbeddedPostgres here = EmbeddedPostgres.at(directory)) {
            assertThat(here.port()).isEqualTo(port);
            first.execute("CREATE TABLE note AS SELECT 'from the first' AS text");
            assertThat(Sql.execute(here.dataSource(), "SELECT text FROM note")).isEqualTo("from the first");

            first.close();
            assertThat(Sql.execute(here.dataSource(), "SELECT text FROM note")).isEqualTo("from the first");
            assertThat(server()).isEqualTo(server);
        }
        assertThat(server()).isNull();
    }

    @Test
    void when_its_only_process_is_killed_the_server_stops_and_what_was_committed_is_kept() throws Exception {
        OtherProcess other = other();
        other.port();
        other.execute("CREATE TABLE note AS SELECT 'committed' AS text");
        ProcessHandle server = server();

        other.kill();
        awaitEnd(server);

        try (EmbeddedPostgres here = EmbeddedPostgres.at(directory)) {
            assertThat(Sql.execute(here.dataSource(), "SELECT text FROM note")).isEqualTo("committed");
        }
    }

    @Test
    void a_start_right_after_a_kill_needs_no_waiting_by_hand() throws Exception {
        for (int round = 1; round <= 5; round++) {
            OtherProcess other = other();
            other.port();
            other.execute("CREATE TABLE IF NOT EXISTS note (round int)");
            other.execute("INSERT INTO note VALUES (" + round + ")");
            other.kill();
        }
        try (EmbeddedPostgres here = EmbeddedPostgres.at(directory)) {
            assertThat(Sql.execute(here.dataSource(), "SELECT count(*) FROM note"))
                    .isEqualTo("5");
        }
    }

    @Test
    void a_process_that_is_killed_does_not_take_the_server_from_the_others() throws Exception {
        OtherProcess starter = other();
        starter.port();
        OtherProcess second = other();
        second.port();
        ProcessHandle server = server();

        starter.kill();

        assertThat(second.execute("SELECT 'still there'")).isEqualTo("still there");
        second.close();
        awaitEnd(server);
    }

    @Test
    void a_process_that_was_killed_with_its_guardian_is_not_waited_for() throws Exception {
        OtherProcess other = other();
        int port = other.port();
        other.execute("CREATE TABLE note AS SELECT 'committed' AS text");
        ProcessHandle server = server();
        other.killWithGuardian();
        assertThat(server.isAlive()).as("nobody is left to stop it").isTrue();

        try (EmbeddedPostgres here = EmbeddedPostgres.at(directory)) {
            assertThat(here.port()).as("the next one finds it").isEqualTo(port);
            assertThat(server()).isEqualTo(server);
            assertThat(Sql.execute(here.dataSource(), "SELECT text FROM note")).isEqualTo("committed");
        }
        awaitEnd(server);
    }

    @Test
    void a_server_that_was_killed_recovers_what_was_committed() throws Exception {
        OtherProcess other = other();
        other.port();
        other.execute("CREATE TABLE note AS SELECT 'committed' AS text");
        ProcessHandle server = server();
        other.killWithGuardian();
        server.destroyForcibly();
        awaitEnd(server);
        assertThat(directory.resolve("data/postmaster.pid")).exists();

        try (EmbeddedPostgres here = EmbeddedPostgres.at(directory)) {
            assertThat(Sql.execute(here.dataSource(), "SELECT text FROM note")).isEqualTo("committed");
        }
    }

    @Test
    void a_pid_that_now_belongs_to_another_process_is_not_taken_for_the_server() throws Exception {
        EmbeddedPostgres.at(directory).close();
        Files.writeString(
                directory.resolve("data/postmaster.pid"),
                "%d\n%s\n1\n5432\n\n127.0.0.1\n1\nready\n"
                        .formatted(ProcessHandle.current().pid(), directory.resolve("data")));

        try (EmbeddedPostgres here = EmbeddedPostgres.at(directory)) {
            assertThat(Sql.execute(here.dataSource(), "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void a_server_that_somebody_was_about_to_stop_when_he_was_killed_is_stopped_and_started_anew() throws Exception {
        OtherProcess other = other();
        other.port();
        ProcessHandle server = server();
        other.killWithGuardian();
        try (Stream<Path> entries = Files.list(directory.resolve("attached"))) {
            for (Path entry : entries.toList()) {
                Files.delete(entry);
            }
        }
        Files.delete(directory.resolve("attached"));

        try (EmbeddedPostgres here = EmbeddedPostgres.at(directory)) {
            assertThat(server()).isNotNull().isNotEqualTo(server);
            assertThat(Sql.execute(here.dataSource(), "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void ctrl_c_reaches_neither_guardian_nor_server() throws Exception {
        OtherProcess other = other();
        other.port();
        ProcessHandle server = server();
        for (ProcessHandle guardian : other.process().children().toList()) {
            assertThat(new ProcessBuilder("sh", "-c", "kill -INT " + guardian.pid())
                            .start()
                            .waitFor())
                    .isZero();
        }
        assertThat(other.execute("SELECT 'still there'")).isEqualTo("still there");
        assertThat(new ProcessBuilder("ps", "-o", "sid=", "-p", String.valueOf(server.pid()))
                        .start()
                        .inputReader()
                        .readLine()
                        .strip())
                .as("the server has a session of its own")
                .isEqualTo(String.valueOf(server.pid()));
        other.kill();
        awaitEnd(server);
    }

    @Test
    void nothing_is_left_of_a_temporary_server_whose_process_was_killed() throws Exception {
        OtherProcess other = OtherProcess.temporary();
        others.add(other);
        other.port();
        Path data = Path.of(other.execute("SHOW data_directory"));
        ProcessHandle server = running(new ServerDirectory(data.getParent(), true));
        ProcessHandle guardian = other.process().children().findAny().orElseThrow();

        other.kill();

        awaitEnd(server);
        awaitEnd(guardian);
        assertThat(data.getParent()).doesNotExist();
    }

    @Test
    void a_temporary_server_that_was_killed_with_its_guardian_is_cleared_away_by_the_next() throws Exception {
        OtherProcess other = OtherProcess.temporary();
        others.add(other);
        other.port();
        Path data = Path.of(other.execute("SHOW data_directory"));
        ProcessHandle server = running(new ServerDirectory(data.getParent(), true));
        other.killWithGuardian();
        assertThat(server.isAlive()).isTrue();

        try (EmbeddedPostgres next = EmbeddedPostgres.temporary()) {
            awaitEnd(server);
            assertThat(data.getParent()).doesNotExist();
            assertThat(next.directory()).exists();
        }
    }

    @Test
    void a_server_that_its_process_has_lost_sight_of_is_not_cleared_away_by_others() throws Exception {
        DataSource forgotten = forgottenServer();
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        OtherProcess other = OtherProcess.temporary();
        others.add(other);
        other.port();
        assertThat(Sql.execute(forgotten, "SELECT 1")).isEqualTo("1");
    }

    private static DataSource forgottenServer() {
        return EmbeddedPostgres.temporary().dataSource();
    }

    @Test
    void many_processes_that_start_at_once_unpack_once_and_share_one_server() throws Exception {
        Path cache = folder.resolve("cache");
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            others.add(OtherProcess.withCache(directory, cache));
        }
        for (OtherProcess other : others) {
            ports.add(other.port());
        }
        assertThat(ports).hasSize(4).containsOnly(ports.get(0));
        try (Stream<Path> entries = Files.list(cache)) {
            assertThat(entries.map(entry -> entry.getFileName().toString()))
                    .hasSize(2)
                    .contains("lock")
                    .anyMatch(name -> name.matches("\\d+\\.\\d+-[0-9a-f]{8}"));
        }
    }

    @Test
    void a_directory_in_use_by_another_container_is_refused() throws Exception {
        try (EmbeddedPostgres here = EmbeddedPostgres.at(directory)) {
            assertThat(here.directory()).exists();
        }
        Path entry = Files.createDirectories(directory.resolve("attached")).resolve("1-1-x");
        try (FileChannel channel = FileChannel.open(entry, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            channel.lock();
            channel.write(StandardCharsets.UTF_8.encode("another boot, another pid namespace"));
            assertThatThrownBy(() -> EmbeddedPostgres.at(directory))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("is in use by a process of another container");
        }
        try (EmbeddedPostgres here = EmbeddedPostgres.at(directory)) {
            assertThat(here.directory()).as("the other one has ended").exists();
        }
    }

    private OtherProcess other() throws IOException {
        OtherProcess other = OtherProcess.at(directory);
        others.add(other);
        return other;
    }

    private ProcessHandle server() throws IOException {
        return running(new ServerDirectory(directory, false));
    }

    private static ProcessHandle running(ServerDirectory directory) throws IOException {
        return directory
                .server()
                .flatMap(server -> ProcessHandle.of(server.pid()))
                .orElse(null);
    }

    private static void awaitEnd(ProcessHandle process) throws Exception {
        process.onExit().get(60, TimeUnit.SECONDS);
    }
}
