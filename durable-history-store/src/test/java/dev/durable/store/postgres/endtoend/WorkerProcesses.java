package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.client.DurableEngine;
import dev.durable.store.postgres.testing.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Worker processes on one database, which a test kills and replaces. */
final class WorkerProcesses implements AutoCloseable {
    private static final String READY = "ready";

    private final TestDatabase database;
    private final Class<?> main;
    private final List<Process> workers = new ArrayList<>();

    /** @param main a class whose main method calls {@link #serve} */
    WorkerProcesses(TestDatabase database, Class<?> main) {
        this.database = database;
        this.main = main;
    }

    /** Starts so many workers, and waits until they serve. */
    void start(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            workers.add(startWorker());
        }
    }

    List<Process> all() {
        return workers;
    }

    /** Kills a worker and starts another in its place. */
    void replace(int index) throws IOException, InterruptedException {
        workers.get(index).destroyForcibly().waitFor();
        workers.set(index, startWorker());
    }

    @Override
    public void close() throws InterruptedException {
        for (Process worker : workers) {
            worker.destroyForcibly().waitFor();
        }
    }

    private Process startWorker() throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName(),
                        database.jdbcUrl(),
                        database.username(),
                        database.password())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader lines = process.inputReader();
        String line = lines.readLine();
        while (line != null && !line.equals(READY)) {
            line = lines.readLine();
        }
        assertThat(line).as("the worker has started").isNotNull();
        return process;
    }

    /** Serves in this process, which was started as a worker, until it is killed. */
    static void serve(String[] arguments, UnaryOperator<DurableEngine.Builder> registering)
            throws InterruptedException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(arguments[0]);
        config.setUsername(arguments[1]);
        config.setPassword(arguments[2]);
        config.setMaximumPoolSize(8);
        config.setMinimumIdle(1);
        try (HikariDataSource pool = new HikariDataSource(config);
                DurableEngine engine =
                        registering.apply(Bench.takingOverSoon(pool)).start()) {
            System.out.println(engine.healthy() ? READY : "not healthy");
            Thread.currentThread().join();
        }
    }
}
