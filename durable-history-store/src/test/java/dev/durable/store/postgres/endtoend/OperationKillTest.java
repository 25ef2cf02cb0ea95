package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.StoreUnavailableException;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.Operation;
import dev.durable.client.OperationProgress;
import dev.durable.client.WorkflowVerbs;
import dev.durable.internal.engine.EngineBuilder;
import dev.durable.store.HistoryStore;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.Sql;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.testing.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Operations on many runs whose workers die, or don't hear that a page was written: each run is treated and counted once. */
@Timeout(600)
@Tag("slow")
class OperationKillTest {
    private static final int RUNS = Integer.getInteger("durable.operations.runs", 5_000);

    @Workflow(name = "Waits")
    static class Waits {
        private int heard;

        @Run
        int run() {
            Durable.await(() -> heard < 0);
            return heard;
        }

        @Signal
        void hear(int number) {
            heard += number;
        }
    }

    /** A worker process, started by the test. */
    public static void main(String[] arguments) throws InterruptedException {
        WorkerProcesses.serve(arguments, builder -> builder.register(Waits.class));
    }

    private static void start(DurableClient client, int runs) {
        try (ExecutorService callers = Executors.newFixedThreadPool(16)) {
            IntStream.range(0, runs)
                    .forEach(i -> callers.execute(() -> client.start(Waits.class, "w-" + i, Waits::run)));
        }
    }

    @Test
    void an_operation_whose_worker_is_killed_is_taken_over_and_treats_and_counts_each_run_once() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                DurableEngine caller = Bench.engineOn(database.pooledDataSource(8))
                        .register(Waits.class)
                        .clientOnly()
                        .start();
                WorkerProcesses workers = new WorkerProcesses(database, OperationKillTest.class)) {
            workers.start(1);
            start(caller.client(), RUNS);
            WorkflowVerbs all =
                    caller.client().workflows().where(w -> w.type("Waits")).by("ann");

            assertDoneOnce(database, killedMidway(workers, all.pause()), "WorkflowPaused");
            assertDoneOnce(database, killedMidway(workers, all.signal("hear", 1)), "SignalReceived", "inbox");
            assertDoneOnce(database, killedMidway(workers, all.resume()), "WorkflowResumed");
            assertDoneOnce(database, killedMidway(workers, all.terminate()), "WorkflowTerminated");

            assertThat(Sql.column(
                            database.dataSource(),
                            "select action || ': ' || count(*) || ' ' || coalesce(max(details ->> 'done'), '')"
                                    + " from durable.audit group by action order by action"))
                    .containsExactly(
                            "end operation: 4 " + RUNS,
                            "pause runs: 1 ",
                            "resume runs: 1 ",
                            "signal runs: 1 ",
                            "terminate runs: 1 ");
            assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
        }
    }

    /** Kills the worker when it has done some pages, starts another, and waits for the end. */
    private static Operation killedMidway(WorkerProcesses workers, Operation operation) throws Exception {
        Bench.awaitThat(() -> operation.progress().done() > 0);
        workers.all().getFirst().destroyForcibly().waitFor();
        assertThat(operation.progress().done()).as("it is killed in the middle").isBetween(1L, RUNS - 1L);
        workers.replace(0);
        return operation;
    }

    private static void assertDoneOnce(TestDatabase database, Operation operation, String event, String... waiting) {
        OperationProgress progress = operation.await(Bench.SOON);
        assertThat(progress.done()).isEqualTo(RUNS);
        assertThat(progress.passed()).isZero();
        String done = waiting.length == 0
                ? "select run_id from durable.history_event where type = '" + event + "'"
                : "select run_id from durable.inbox where name = 'hear'";
        assertThat(Sql.column(
                        database.dataSource(),
                        "select count(*) || ' of ' || count(distinct run_id) from (" + done + ") x"))
                .as("%s of runs", event)
                .containsExactly(RUNS + " of " + RUNS);
    }

    /** A store that does not say of every other batch that it was written. */
    private static HistoryStore forgetful(DataSource dataSource) {
        HistoryStore real = PostgresHistoryStore.of(dataSource);
        Set<Object> told = ConcurrentHashMap.newKeySet();
        return (HistoryStore) Proxy.newProxyInstance(
                HistoryStore.class.getClassLoader(),
                new Class<?>[] {HistoryStore.class},
                (proxy, method, arguments) -> {
                    Object answer;
                    try {
                        answer = method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (Set.of("seize", "pause", "move").contains(method.getName())
                            && arguments[0] instanceof List<?> batch
                            && batch.size() > 1
                            && told.add(batch.toString())) {
                        throw new StoreUnavailableException("the answer was lost");
                    }
                    return answer;
                });
    }

    @Test
    void a_page_whose_answer_was_lost_is_done_again_and_counts_each_run_once() throws Exception {
        int runs = 600;
        try (TestDatabase database = TestDatabase.migrated();
                DurableEngine engine = new EngineBuilder(forgetful(database.pooledDataSource(12)))
                        .pollInterval(Duration.ofMillis(50))
                        .register(Waits.class)
                        .start()) {
            start(engine.client(), runs);
            WorkflowVerbs all =
                    engine.client().workflows().where(w -> w.type("Waits")).by("ann");
            for (Function<WorkflowVerbs, Operation> verb : List.<Function<WorkflowVerbs, Operation>>of(
                    WorkflowVerbs::pause,
                    verbs -> verbs.moveTo("2026-11-28.1"),
                    WorkflowVerbs::resume,
                    WorkflowVerbs::terminate)) {
                OperationProgress progress = verb.apply(all).await(Bench.SOON);
                assertThat(progress.done()).as(progress.action()).isEqualTo(runs);
                assertThat(progress.passed()).as(progress.action()).isZero();
            }
            assertThat(Sql.column(
                            database.dataSource(),
                            "select type || ' ' || count(*) || ' of ' || count(distinct run_id) from durable.history_event"
                                    + " where type in ('WorkflowPaused', 'WorkflowResumed', 'WorkflowTerminated')"
                                    + " group by type order by type"))
                    .containsExactly(
                            "WorkflowPaused 600 of 600", "WorkflowResumed 600 of 600", "WorkflowTerminated 600 of 600");
            assertThat(Sql.number(
                            database.dataSource(), "select count(*) from durable.audit where action = 'end operation'"))
                    .isEqualTo(4);
            assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
        }
    }
}
