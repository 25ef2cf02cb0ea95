package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowSummary;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.testing.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Workflows that are run again, by worker processes that lose answers of COMMIT or go away in the back-off. */
@Timeout(300)
class WorkflowRetryFromTwoProcessesTest {
    private static final int ATTEMPTS = 25;

    /** Fails until its last attempt, which tells the signals that were left to it. */
    @Workflow
    static class Stubborn {
        private final List<String> heard = new ArrayList<>();

        @Run
        List<String> run(int succeedsAt) {
            if (Durable.info().attempt() < succeedsAt) {
                throw new IllegalStateException("attempt " + Durable.info().attempt());
            }
            Durable.await(() -> heard.contains("end"));
            return heard;
        }

        @Signal
        void say(String word) {
            heard.add(word);
        }
    }

    private static StartOptions often(Duration interval) {
        return StartOptions.id("s-1")
                .retry(o -> o.maxAttempts(ATTEMPTS)
                        .initialInterval(interval)
                        .backoff(1)
                        .jitter(0));
    }

    private static List<WorkflowSummary> attempts(DurableEngine engine) {
        return engine.client().workflows().where(w -> w.workflowId("s-1")).page(ATTEMPTS + 9).stream()
                .map(row -> row.summary())
                .toList();
    }

    @Test
    void each_attempt_is_made_once_although_answers_of_COMMIT_are_lost() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                CuttingProxy proxy =
                        new CuttingProxy(((PGSimpleDataSource) database.dataSource()).getPortNumbers()[0]);
                HikariDataSource pool = through(database, proxy.port());
                DurableEngine caller = Bench.engineOn(database.dataSource())
                        .register(Stubborn.class)
                        .clientOnly()
                        .start();
                DurableEngine worker =
                        Bench.engineOn(pool).register(Stubborn.class).start()) {
            proxy.cut(15, Integer.MAX_VALUE);
            WorkflowHandle<Stubborn, List<String>> run =
                    caller.client().start(Stubborn.class, often(Duration.ofMillis(1)), w -> w.run(ATTEMPTS + 1));

            assertThatThrownBy(run::result)
                    .isInstanceOf(WorkflowFailedException.class)
                    .hasRootCauseMessage("java.lang.IllegalStateException: attempt " + ATTEMPTS);
            int cuts = proxy.cuts();
            proxy.cut(Integer.MAX_VALUE, Integer.MAX_VALUE);

            assertThat(cuts).isGreaterThan(2);
            assertThat(attempts(caller))
                    .extracting(summary -> summary.chain().attempt())
                    .containsExactlyInAnyOrderElementsOf(
                            Stream.iterate(1, i -> i + 1).limit(ATTEMPTS).toList());
            assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
        }
    }

    @Test
    void another_worker_makes_the_attempt_where_the_first_has_gone_in_the_back_off() throws Exception {
        try (Bench bench = new Bench();
                DurableEngine caller =
                        bench.engine().register(Stubborn.class).clientOnly().start()) {
            WorkflowHandle<Stubborn, List<String>> run;
            try (DurableEngine first = bench.engine().register(Stubborn.class).start()) {
                run = caller.client().start(Stubborn.class, often(Duration.ofSeconds(2)), w -> w.run(2));
                Bench.awaitThat(() -> attempts(first).size() == 2);
            }
            run.signal(w -> w.say("in the back-off"));
            run.signal(w -> w.say("end"));

            try (DurableEngine second = bench.engine().register(Stubborn.class).start()) {
                assertThat(run.result()).containsExactly("in the back-off", "end");
                assertThat(attempts(second)).hasSize(2);
            }
            assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        }
    }

    private static HikariDataSource through(TestDatabase database, int port) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl().replaceFirst(":\\d+/", ":" + port + "/"));
        config.setUsername(database.username());
        config.setPassword(database.password());
        config.setMaximumPoolSize(16);
        return new HikariDataSource(config);
    }
}
