package dev.durable.store.postgres.embedded.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.StoreUnavailableException;
import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A process that is killed after it has ordered a server and before there is one. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class KilledWhileStartingTest {
    @TempDir
    Path folder;

    private Path directory;
    private Path go;
    private OtherProcess other;
    private ProcessHandle starter;

    /** Its {@code pg_ctl} waits for a file. */
    @BeforeEach
    void killOneThatStarts() throws Exception {
        directory = folder.resolve("postgres");
        go = folder.resolve("go");
        EmbeddedPostgres.at(directory).close();
        other = OtherProcess.withPrograms(directory, folder.resolve("cache"), slowPrograms());
        Path pid = directory.resolve("starter");
        Deadline deadline = Deadline.in(Duration.ofMinutes(1));
        while (Files.notExists(pid) || Files.readString(pid).isBlank()) {
            assertThat(deadline.passed()).isFalse();
            deadline.pause();
        }
        starter =
                ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElseThrow();
    }

    @AfterEach
    void endAll() throws Exception {
        other.kill();
        Files.writeString(go, "");
        starter.onExit().get(60, TimeUnit.SECONDS);
    }

    @Test
    void leaves_no_server_behind() throws Exception {
        ProcessHandle guardian = guardian();
        other.kill();
        assertThat(guardian.isAlive())
                .as("waits for the server that is to come")
                .isTrue();

        Files.writeString(go, "");
        guardian.onExit().get(60, TimeUnit.SECONDS);

        assertThat(directory.resolve("data/server.log")).content().endsWith("database system is shut down\n");
        assertThat(new ServerDirectory(directory, false).server()).isEmpty();
    }

    @Test
    void is_waited_for_as_two_servers_would_destroy_the_data() throws Exception {
        guardian().destroyForcibly();
        other.kill();
        assertThatThrownBy(() -> EmbeddedPostgres.builder()
                        .directory(directory)
                        .startTimeout(Duration.ofMillis(100))
                        .start())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("did not start in " + directory + " within 0 s");

        Files.writeString(go, "");
        try (EmbeddedPostgres next = EmbeddedPostgres.at(directory)) {
            assertThat(Sql.execute(next.dataSource(), "SELECT 1")).isEqualTo("1");
        }
    }

    private ProcessHandle guardian() {
        return other.process()
                .children()
                .filter(child -> child.pid() != starter.pid())
                .findAny()
                .orElseThrow();
    }

    private Path slowPrograms() throws IOException, InterruptedException {
        Path real = Binaries.ofClassPath()
                .install(Deadline.in(Duration.ofMinutes(1)))
                .home();
        Path bin = Files.createDirectories(folder.resolve("programs/bin"));
        for (String program : List.of("postgres", "initdb")) {
            Files.createSymbolicLink(bin.resolve(program), real.resolve("bin").resolve(program));
        }
        Path pgCtl = bin.resolve("pg_ctl");
        Files.writeString(pgCtl, """
                #!/bin/sh
                while [ ! -e '%s' ]; do sleep 0.02; done
                '%s/bin/pg_ctl' "$@"
                """.formatted(go, real));
        Files.setPosixFilePermissions(pgCtl, PosixFilePermissions.fromString("rwxr-xr-x"));
        return bin.getParent();
    }
}
