package dev.durable.micrometer;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.testing.TestDatabase;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A worker in a process of its own, which tells the spans that end there. */
final class TracedWorker implements AutoCloseable {
    static final Duration LEASE = Duration.ofSeconds(2);
    private static final String MARK = "span ";

    private final Process process;
    private final List<Ended> spans = new CopyOnWriteArrayList<>();
    private final List<String> other = new CopyOnWriteArrayList<>();

    /** A span as its process has reported it. */
    record Ended(String trace, String parent, String id, String name) {}

    @Activity
    interface Desk {
        void book();

        void ship();
    }

    static final class RealDesk implements Desk {
        @Override
        public void book() {}

        @Override
        public void ship() {}
    }

    @Workflow
    static class Trip {
        private final Desk desk;
        private boolean go;

        Trip(Desk desk) {
            this.desk = desk;
        }

        @Run
        String run() {
            desk.book();
            Durable.await(() -> go);
            desk.ship();
            return "shipped";
        }

        @Signal
        void go() {
            go = true;
        }
    }

    TracedWorker(TestDatabase database) {
        try {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("java.class.path"),
                            TracedWorker.class.getName(),
                            database.jdbcUrl(),
                            database.username(),
                            database.password())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofPlatform().daemon().start(this::read);
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(MARK)) {
                    String[] parts = line.split(" ", 5);
                    spans.add(new Ended(parts[1], parts[2], parts[3], parts[4]));
                } else {
                    other.add(line);
                }
            }
        } catch (IOException e) {
            other.add(e.toString());
        }
    }

    List<Ended> spans() {
        return List.copyOf(spans);
    }

    /** The process's output besides spans. */
    String log() {
        return String.join("\n", other);
    }

    /** As {@code kill -9} does. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor(30, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    public static void main(String[] arguments) throws InterruptedException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(arguments[0]);
        config.setUsername(arguments[1]);
        config.setPassword(arguments[2]);
        try (HikariDataSource pool = new HikariDataSource(config);
                DurableEngine engine = DurableEngine.builder(PostgresHistoryStore.of(pool))
                        .register(Trip.class, new RealDesk())
                        .sessionLease(LEASE)
                        .pollInterval(Duration.ofMillis(100))
                        .intercept(DurableTracing.of(new Spans(TracedWorker::tell).registry()))
                        .start()) {
            Thread.currentThread().join();
        }
    }

    private static void tell(SpanData span) {
        System.out.println(MARK + span.getTraceId() + " " + span.getParentSpanId() + " " + span.getSpanId() + " "
                + span.getName());
    }
}
