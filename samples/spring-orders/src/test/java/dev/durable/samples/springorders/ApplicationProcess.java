package dev.durable.samples.springorders;

import dev.durable.store.postgres.testing.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** The application in a JVM of its own, that can be killed. */
final class ApplicationProcess implements AutoCloseable {
    private final Process process;
    private final Queue<String> printed = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Void> started = new CompletableFuture<>();

    private ApplicationProcess(Process process) {
        this.process = process;
        Thread.ofVirtual().start(this::read);
    }

    /** Returns when it takes requests. */
    static ApplicationProcess start(TestDatabase database, int port) throws Exception {
        ApplicationProcess application = new ApplicationProcess(new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        OrdersApplication.class.getName(),
                        "--server.port=" + port,
                        "--spring.datasource.url=" + database.jdbcUrl(),
                        "--spring.datasource.username=" + database.username(),
                        "--spring.datasource.password=" + database.password(),
                        "--spring.main.banner-mode=off",
                        "--logging.level.dev.durable.samples=INFO", // says when it has started
                        "--durable.session-lease=2s"))
                .redirectErrorStream(true)
                .start());
        application.started.get(3, TimeUnit.MINUTES);
        return application;
    }

    /** SIGKILL; returns when it is dead. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    String printed() {
        return String.join("\n", printed);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private void read() {
        try (BufferedReader reader = process.inputReader()) {
            reader.lines().forEach(line -> {
                printed.add(line);
                if (line.contains("Started OrdersApplication")) {
                    started.complete(null);
                }
            });
        } catch (UncheckedIOException | IOException e) {
            // It was killed while it printed.
        } finally {
            started.completeExceptionally(new AssertionError("ended before it took requests:\n" + printed()));
        }
    }
}
