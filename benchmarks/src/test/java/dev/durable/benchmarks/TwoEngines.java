package dev.durable.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.durable.client.DurableEngine;
import dev.durable.store.postgres.PostgresHistoryStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Two workers in one process, each on a pool of its own; another process of them ends with its standard input. */
final class TwoEngines implements AutoCloseable {
    private static final int CONNECTIONS = 8;

    private final List<HikariDataSource> pools = new ArrayList<>();
    private final List<DurableEngine> engines = new ArrayList<>();

    private TwoEngines(Database database, Ledger ledger) {
        for (int i = 0; i < 2; i++) {
            HikariDataSource pool = database.pool(CONNECTIONS);
            pools.add(pool);
            engines.add(DurableEngine.builder(PostgresHistoryStore.of(pool))
                    .register(Work.workflows())
                    .register(new Work.Counting(), new Work.Writing(ledger))
                    .start());
        }
    }

    static TwoEngines here(Database database, Ledger ledger) {
        return new TwoEngines(database, ledger);
    }

    static Process inAnotherProcess(Database database, Path ledger) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xmx512m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        TwoEngines.class.getName(),
                        database.url(),
                        database.user(),
                        database.password(),
                        ledger.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        process.inputReader().readLine();
        return process;
    }

    DurableEngine engine(int which) {
        return engines.get(which);
    }

    @Override
    public void close() {
        engines.forEach(DurableEngine::close);
        pools.forEach(HikariDataSource::close);
    }

    public static void main(String[] arguments) throws IOException {
        Database database = new Database(arguments[0], arguments[1], arguments[2]);
        try (Ledger ledger = Ledger.at(Path.of(arguments[3]));
                TwoEngines two = new TwoEngines(database, ledger)) {
            System.out.println(two.engine(0).healthy());
            while (System.in.read() >= 0) {
                // until the other side closes it
            }
        }
    }
}
