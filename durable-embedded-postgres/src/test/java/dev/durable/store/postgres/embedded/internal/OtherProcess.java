package dev.durable.store.postgres.embedded.internal;

import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Another JVM that has a server open: it executes the commands on its input until one closes it, it ends, or it is
 * killed.
 */
record OtherProcess(Process process, BufferedReader answers, PrintStream words) {
    private static final String CLOSE = "close";

    static OtherProcess at(Path directory) throws IOException {
        return start(List.of(), System.getProperty("java.class.path"), directory.toString());
    }

    static OtherProcess temporary() throws IOException {
        return start(List.of(), System.getProperty("java.class.path"));
    }

    static OtherProcess withCache(Path directory, Path cache) throws IOException {
        return start(List.of(), System.getProperty("java.class.path"), directory.toString(), cache.toString());
    }

    static OtherProcess withPrograms(Path directory, Path cache, Path programs) throws IOException {
        return start(
                List.of(),
                System.getProperty("java.class.path"),
                directory.toString(),
                cache.toString(),
                programs.toString());
    }

    static OtherProcess start(List<String> prefix, String classPath, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classPath, OtherProcess.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new OtherProcess(
                process,
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)),
                new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8));
    }

    /** The port of its server, once it has one. */
    int port() throws IOException {
        return Integer.parseInt(answer());
    }

    /** The first value of the result, or nothing. */
    String execute(String sql) throws IOException {
        words.println(sql);
        return answer();
    }

    private String answer() throws IOException {
        while (true) {
            String line = answers.readLine();
            if (line == null) {
                throw new IOException("the other process has ended");
            }
            if (line.startsWith("> ")) {
                return line.substring(2);
            }
        }
    }

    void close() throws InterruptedException {
        words.println(CLOSE);
        awaitEnd();
    }

    /** SIGKILL: it learns nothing of it. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        awaitEnd();
    }

    /** The guardian first, as when a container is killed as a whole. */
    void killWithGuardian() throws InterruptedException {
        process.children().forEach(ProcessHandle::destroyForcibly);
        kill();
    }

    private void awaitEnd() throws InterruptedException {
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the other process does not end");
        }
    }

    public static void main(String[] arguments) throws IOException, SQLException {
        BufferedReader words = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var builder = EmbeddedPostgres.builder();
        if (arguments.length > 0) {
            builder.directory(Path.of(arguments[0]));
        }
        if (arguments.length > 1) {
            builder.cacheDirectory(Path.of(arguments[1]));
        }
        if (arguments.length > 2) {
            builder.installation(Path.of(arguments[2]));
        }
        try (EmbeddedPostgres postgres = builder.start();
                Connection connection = postgres.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            System.out.println("> " + postgres.port());
            for (String line = words.readLine(); line != null && !line.equals(CLOSE); line = words.readLine()) {
                System.out.println("> " + first(statement, line));
            }
        }
    }

    private static @Nullable String first(Statement statement, String sql) throws SQLException {
        if (!statement.execute(sql)) {
            return "";
        }
        try (ResultSet result = statement.getResultSet()) {
            return result.next() ? result.getString(1) : "";
        }
    }
}
