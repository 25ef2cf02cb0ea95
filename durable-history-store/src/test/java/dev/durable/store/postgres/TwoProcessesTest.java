package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.NonRetryableException;
import dev.durable.Run;
import dev.durable.Trials;
import dev.durable.Workflow;
import dev.durable.client.Alert;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.store.postgres.testing.TestDatabase;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client in one process, a worker in another, and polls so rare that only nudges can bring them together. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class TwoProcessesTest {
    private static final Logger log = LoggerFactory.getLogger(TwoProcessesTest.class);
    private static final Duration NEVER = Duration.ofMinutes(10);
    private static final int RUNS = Integer.getInteger("runs", 60);

    private final TestDatabase database = TestDatabase.migrated();

    @AfterEach
    void drop() {
        database.close();
    }

    @Test
    void a_run_started_here_runs_there_and_its_result_comes_back_without_polling() {
        try (PostgresHistoryStore theirs = store();
                PostgresHistoryStore ours = store();
                DurableEngine worker = DurableEngine.builder(theirs)
                        .register(Echo.class)
                        .pollInterval(NEVER)
                        .start();
                DurableEngine caller = DurableEngine.builder(ours)
                        .clientOnly()
                        .pollInterval(NEVER)
                        .start()) {
            long[] nanos = new long[RUNS];
            for (int i = 0; i < RUNS; i++) {
                String said = "hello " + i;
                long before = System.nanoTime();
                assertThat(caller.client()
                                .start(Echo.class, "echo-" + i, w -> w.run(said))
                                .result(Duration.ofSeconds(60)))
                        .isEqualTo(said);
                nanos[i] = System.nanoTime() - before;
            }
            java.util.Arrays.sort(nanos);
            log.info(
                    "start here, run there, result here: p50 {} µs, p90 {} µs",
                    nanos[RUNS / 2] / 1000,
                    nanos[RUNS * 9 / 10] / 1000);
        }
    }

    @Activity
    interface Work {
        void work();
    }

    /** By polls alone the process would find each of them eight to twelve seconds later. */
    @Test
    void who_is_to_be_told_of_a_failure_is_told_soon_in_another_process() throws Exception {
        Trials.once(number -> whoIsToBeToldOfAFailureIsToldSoon());
    }

    private void whoIsToBeToldOfAFailureIsToldSoon() throws Exception {
        BlockingQueue<Alert> told = new LinkedBlockingQueue<>();
        try (PostgresHistoryStore theirs = store();
                PostgresHistoryStore ours = store();
                DurableEngine worker = DurableEngine.builder(theirs)
                        .activity(Work.class, () -> {
                            throw new NonRetryableException("declined");
                        })
                        .start();
                DurableEngine pager = DurableEngine.builder(ours)
                        .queue("another", q -> {})
                        .onAlert(told::add)
                        .start()) {
            worker.client().enqueue(Work.class, Work::work);
            assertThat(told.poll(6, TimeUnit.SECONDS)).isNotNull();
            assertThat(pager.healthy()).isTrue();
        }
    }

    @Test
    void what_was_started_while_hints_did_not_arrive_is_found_when_they_do_again() {
        try (PostgresHistoryStore theirs = store();
                PostgresHistoryStore silent = PostgresHistoryStore.builder(database.pooledDataSource(4))
                        .notify(false)
                        .build();
                DurableEngine worker = DurableEngine.builder(theirs)
                        .register(Echo.class)
                        .pollInterval(NEVER)
                        .start();
                DurableEngine caller =
                        DurableEngine.builder(silent).clientOnly().start()) {
            WorkflowHandle<Echo, String> first = caller.client().start(Echo.class, "echo-1", w -> w.run("first"));
            assertThat(Sql.await(Duration.ofSeconds(60), () -> Sql.cutListeners(database.dataSource()) > 0))
                    .isTrue();
            assertThat(first.result(Duration.ofSeconds(60))).isEqualTo("first");

            WorkflowHandle<Echo, String> second = caller.client().start(Echo.class, "echo-2", w -> w.run("second"));
            assertThat(Sql.await(Duration.ofSeconds(60), () -> Sql.cutListeners(database.dataSource()) > 0))
                    .isTrue();
            assertThat(second.result(Duration.ofSeconds(60))).isEqualTo("second");
            assertThat(worker.healthy()).isTrue();
        }
    }

    private PostgresHistoryStore store() {
        return PostgresHistoryStore.of(database.pooledDataSource(8));
    }

    /** Says what it is told. */
    @Workflow
    public static class Echo {
        /** Says it. */
        @Run
        public String run(String said) {
            return said;
        }
    }
}
