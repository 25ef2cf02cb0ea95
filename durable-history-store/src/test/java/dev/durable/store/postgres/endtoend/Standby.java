package dev.durable.store.postgres.endtoend;

import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;

/** Makes standbys of embedded servers, and primaries of standbys. */
final class Standby {
    private Standby() {}

    /** Makes the server of this directory, which no process has open, start in recovery the next time. */
    static void willBe(Path directory) throws IOException {
        Files.createFile(directory.resolve("data").resolve("standby.signal"));
    }

    /** A standby of a primary, from a copy of its directory that was made while it was stopped. */
    static EmbeddedPostgres of(EmbeddedPostgres primary, Path copy) throws IOException {
        willBe(copy);
        Files.writeString(
                copy.resolve("data").resolve("postgresql.auto.conf"),
                "primary_conninfo = 'host=127.0.0.1 port=%d user=%s password=%s application_name=standby'\n"
                        .formatted(primary.port(), primary.superuser(), primary.superuserPassword()),
                StandardOpenOption.APPEND);
        return EmbeddedPostgres.at(copy);
    }

    /** Copies the files of a server that no process has open. */
    static void copy(Path directory, Path to) throws IOException {
        Files.createDirectory(to);
        for (String name : List.of("data", "password", "superuser-password")) {
            try (Stream<Path> files = Files.walk(directory.resolve(name))) {
                files.forEach(file -> copyOne(file, to.resolve(directory.relativize(file))));
            }
        }
    }

    private static void copyOne(Path file, Path to) {
        try {
            Files.copy(file, to, StandardCopyOption.COPY_ATTRIBUTES);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Promotes the standby, which can be written to when this returns. */
    static void promote(EmbeddedPostgres standby) throws SQLException {
        execute(standby, "select pg_promote(true, 60)");
    }

    /** Stops the server as a loss of power does: connected clients hear nothing more of it. */
    static void crash(EmbeddedPostgres server) throws IOException, InterruptedException {
        String pid = Files.readAllLines(server.directory().resolve("data").resolve("postmaster.pid"))
                .getFirst()
                .strip();
        new ProcessBuilder("kill", "-QUIT", pid).inheritIO().start().waitFor();
    }

    static void execute(EmbeddedPostgres server, String sql) throws SQLException {
        try (var connection = server.superuserDataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
