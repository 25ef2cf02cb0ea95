package dev.durable.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.testing.TestDatabase;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A fleet under load: whichever process runs which job, in the end everything has happened, once. */
@Tag("slow")
class LoadTest {
    private static final int RUNS = Integer.getInteger("load.runs", 2_000);
    private static final int STEPS = 5;
    private static final int AT_ONCE = 256;

    @Test
    void many_runs_on_four_workers_in_two_processes_all_complete_and_each_step_once(@TempDir Path folder)
            throws Exception {
        Path ledger = folder.resolve("ledger");
        try (TestDatabase postgres = TestDatabase.create()) {
            Database database = new Database(postgres.jdbcUrl(), postgres.username(), postgres.password());
            double seconds = run(database, ledger);
            System.out.printf("%,d runs of %d activities: %,.0f activities/s%n", RUNS, STEPS, RUNS * STEPS / seconds);
            assertThat(DurableContestant.wrong(database, RUNS, (long) RUNS * STEPS))
                    .isEmpty();
            Map<Long, Integer> effects = Ledger.read(ledger);
            assertThat(effects).as("nobody died, so no step was repeated").hasSize(RUNS * STEPS);
            assertThat(Ledger.count(ledger)).isEqualTo((long) RUNS * STEPS);
        }
    }

    /** A third of the runs is started by each worker here, a third by a client that has no worker. */
    private static double run(Database database, Path ledgerFile) throws Exception {
        try (Ledger ledger = Ledger.at(ledgerFile);
                TwoEngines here = TwoEngines.here(database, ledger);
                HikariDataSource pool = database.pool(4);
                DurableEngine outside = DurableEngine.builder(PostgresHistoryStore.of(pool))
                        .register(Work.workflows())
                        .register(new Work.Counting(), new Work.Writing(ledger))
                        .clientOnly()
                        .start()) {
            Process other = TwoEngines.inAnotherProcess(database, ledgerFile);
            try {
                List<DurableClient> clients =
                        List.of(here.engine(0).client(), here.engine(1).client(), outside.client());
                long begun = System.nanoTime();
                InFlight.each(RUNS, AT_ONCE, n -> complete(clients.get((int) (n % clients.size())), (int) n));
                return (System.nanoTime() - begun) / 1e9;
            } finally {
                other.getOutputStream().close();
                assertThat(other.waitFor(30, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    private static void complete(DurableClient client, int run) {
        Scenario.expect(
                "run-" + run,
                STEPS,
                client.start(Work.Ledgered.class, "run-" + run, w -> w.run(run, STEPS))
                        .result());
    }
}
