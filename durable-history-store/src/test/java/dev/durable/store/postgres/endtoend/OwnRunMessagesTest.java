package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.HistoryEvent;
import dev.durable.store.HistoryStore;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.SqlInvariants;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A message of a transactional body to its own run is there together with the activity's outcome, and before it. */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class OwnRunMessagesTest {

    @Activity(transactional = true, startToClose = "60s", retry = @Retry(initialInterval = "1ms", maxInterval = "1ms"))
    interface Talking {
        void talk(String what);
    }

    /** A workflow that ends with the step in which its activity has ended. */
    @Workflow
    static class Hearing {
        private final Talking talking;
        private final List<String> heard = new ArrayList<>();

        Hearing(Talking talking) {
            this.talking = talking;
        }

        @Run
        List<String> run(String what, boolean waits) {
            if (waits) {
                talking.talk(what);
            } else {
                Durable.async(() -> {
                    talking.talk(what);
                    return "";
                });
                Durable.sleep(Duration.ofMillis(20));
            }
            return List.copyOf(heard);
        }

        @Signal
        void hear(String word) {
            heard.add(word);
        }
    }

    private static final class Talker implements Talking {
        private final AtomicReference<DurableClient> client = new AtomicReference<>();

        @Override
        public void talk(String what) {
            ActivityContext context = ActivityContext.current();
            WorkflowHandle<Hearing, ?> own =
                    client.get().handle(Hearing.class, context.info().workflowId());
            switch (what) {
                case "twice" -> {
                    own.signal(h -> h.hear("one"));
                    own.signal(h -> h.hear("two"));
                }
                case "thrown" -> {
                    if (context.info().attempt() == 1) {
                        own.signal(h -> h.hear("of the first attempt"));
                        throw new IllegalStateException("rolled back");
                    }
                }
                case "savepoint" -> {
                    own.signal(h -> h.hear("kept"));
                    takenBack(context.transaction(Connection.class), () -> own.signal(h -> h.hear("taken back")));
                }
                case "with start" ->
                    client.get()
                            .signalWithStart(
                                    Hearing.class,
                                    context.info().workflowId(),
                                    h -> h.run("twice", true),
                                    h -> h.hear("with start"));
                case "cancel" -> own.cancel("enough");
                case "by name" -> own.signal("hear", "by name");
                default -> throw new IllegalArgumentException(what);
            }
        }

        private static void takenBack(Connection connection, Runnable what) {
            try {
                var savepoint = connection.setSavepoint();
                what.run();
                connection.rollback(savepoint);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private final Bench bench = new Bench();
    private final Talker talker = new Talker();

    @AfterEach
    void close() throws SQLException {
        assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        bench.close();
    }

    private DurableEngine engine(boolean inMemory) {
        HistoryStore store = inMemory ? new InMemoryHistoryStore() : PostgresHistoryStore.of(bench.dataSource());
        DurableEngine engine = DurableEngine.builder(store)
                .pollInterval(Duration.ofMillis(50))
                .register(Hearing.class)
                .activity(Talking.class, talker)
                .start();
        talker.client.set(engine.client());
        return engine;
    }

    private List<String> heard(DurableEngine engine, String what) {
        return engine.client()
                .start(Hearing.class, what, h -> h.run(what, true))
                .result(Bench.SOON);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void the_run_sees_what_its_activity_has_sent_it_in_order_though_it_ends_with_that_step(boolean inMemory) {
        try (DurableEngine engine = engine(inMemory)) {
            assertThat(heard(engine, "twice")).containsExactly("one", "two");
            assertThat(heard(engine, "by name")).containsExactly("by name");
            assertThat(heard(engine, "with start")).containsExactly("with start");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_run_that_its_activity_cancels_ends_as_cancelled(boolean inMemory) {
        try (DurableEngine engine = engine(inMemory)) {
            var run = engine.client().start(Hearing.class, "cancel", h -> h.run("cancel", true));

            assertThat(Bench.awaitThat(run, last -> last.summary().status().closed())
                            .summary()
                            .status())
                    .isEqualTo(WorkflowStatus.CANCELLED);
        }
    }

    @Test
    void what_is_rolled_back_with_the_body_or_to_a_savepoint_is_not_sent() {
        try (DurableEngine engine = engine(false)) {
            assertThat(heard(engine, "thrown")).isEmpty();
            assertThat(heard(engine, "savepoint")).containsExactly("kept");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_job_that_signals_its_own_run_completes_and_nothing_hears_the_signal(boolean inMemory) {
        try (DurableEngine engine = engine(inMemory)) {
            var job = engine.client().enqueue(Talking.class, t -> t.talk("twice"));

            job.resultAs(Object.class, Bench.SOON);

            assertThat(job.describe().summary().status()).isEqualTo(WorkflowStatus.COMPLETED);
            assertThat(job.history().stream().map(HistoryEvent::type)).contains("SignalReceived", "ActivityCompleted");
        }
    }

    /**
     * The body locks the run's row and then the job's, as every transition does; else one of them would be rolled back.
     */
    @Test
    void bodies_and_the_ends_of_their_runs_do_not_deadlock() {
        try (DurableEngine engine = engine(false)) {
            List<WorkflowHandle<Hearing, List<String>>> runs = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                runs.add(engine.client().start(Hearing.class, "run-" + i, h -> h.run("twice", false)));
            }
            assertThat(runs)
                    .allSatisfy(run -> assertThat(run.result(Bench.SOON)).isIn(List.of(), List.of("one", "two")));
        }
        assertThat(deadlocks()).isZero();
    }

    private long deadlocks() {
        try (Connection connection = bench.direct().getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(
                        "select deadlocks from pg_stat_database where datname = current_database()")) {
            rows.next();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
