package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Callback;
import dev.durable.CallbackEndedException;
import dev.durable.CallbackEndedException.How;
import dev.durable.CallbackFailedException;
import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.WaitTimedOutException;
import dev.durable.Workflow;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.HistoryEvent;
import dev.durable.internal.engine.LogCapture;
import dev.durable.store.contract.FaultyStore;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.SqlInvariants;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Outsiders in another process end callbacks while these time out, and while their runs end. */
@Timeout(300)
class CallbacksFromTwoProcessesTest {
    private static final int RUNS = 40;

    @Workflow
    static class Order {
        private String token = "";
        private boolean over;

        @Run
        String run(int millis) {
            Callback<String> callback = Durable.callback(String.class, Duration.ofMillis(Math.abs(millis)));
            token = callback.token();
            Durable.await(() -> over || (millis > 0 && callback.promise().isDone()));
            if (over) {
                return "over";
            }
            try {
                return callback.promise().get();
            } catch (CallbackFailedException e) {
                return "failed";
            } catch (WaitTimedOutException e) {
                return "timed out";
            }
        }

        @Signal
        void end() {
            over = true;
        }

        @Query
        String token() {
            return token;
        }
    }

    /** Completes a callback; returns how it has ended otherwise, or null where it is completed. */
    private static How complete(DurableEngine engine, String token, String value) {
        try {
            engine.client().callback(token).complete(value);
            return null;
        } catch (CallbackEndedException e) {
            return e.how();
        }
    }

    private static String token(WorkflowHandle<Order, ?> run) {
        return run.query(Order::token);
    }

    @Test
    void who_is_told_that_it_completed_a_callback_has_beaten_its_timeout() throws Exception {
        try (Bench bench = new Bench();
                DurableEngine worker = bench.engine().register(Order.class).start();
                DurableEngine outsider =
                        bench.engine().register(Order.class).clientOnly().start();
                ExecutorService threads = Executors.newFixedThreadPool(RUNS)) {
            List<WorkflowHandle<Order, String>> runs = new ArrayList<>();
            List<Future<How>> told = new ArrayList<>();
            for (int i = 0; i < RUNS; i++) {
                WorkflowHandle<Order, String> run = worker.client().start(Order.class, "o-" + i, w -> w.run(1_500));
                runs.add(run);
                String token = token(run);
                long due = System.nanoTime() + Duration.ofMillis(1_400 + 5L * i).toNanos();
                told.add(threads.submit(() -> {
                    while (System.nanoTime() < due) {
                        LockSupport.parkNanos(due - System.nanoTime());
                    }
                    return complete(outsider, token, "completed");
                }));
            }
            for (int i = 0; i < RUNS; i++) {
                How how = told.get(i).get();
                assertThat(how).isIn(null, How.TIMED_OUT);
                assertThat(runs.get(i).result()).isEqualTo(how == null ? "completed" : "timed out");
            }
            assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        }
    }

    @Test
    void of_two_outcomes_one_holds_and_its_sender_is_the_one_who_is_told_so() throws Exception {
        try (Bench bench = new Bench();
                DurableEngine worker = bench.engine().register(Order.class).start();
                DurableEngine outsider =
                        bench.engine().register(Order.class).clientOnly().start();
                ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < RUNS; i++) {
                WorkflowHandle<Order, String> run = worker.client().start(Order.class, "o-" + i, w -> w.run(600_000));
                String token = token(run);
                Future<How> here = threads.submit(() -> complete(worker, token, "here"));
                Future<How> there = threads.submit(() -> complete(outsider, token, "there"));
                assertThat(new How[] {here.get(), there.get()}).containsExactlyInAnyOrder(null, How.COMPLETED);
                assertThat(run.result()).isEqualTo(here.get() == null ? "here" : "there");
            }
            assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        }
    }

    @Test
    void an_outcome_that_comes_while_the_run_ends_is_got_or_refused_or_left_behind_by_what_ended_it() throws Exception {
        try (Bench bench = new Bench();
                DurableEngine worker = bench.engine().register(Order.class).start();
                DurableEngine outsider =
                        bench.engine().register(Order.class).clientOnly().start();
                ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < RUNS; i++) {
                WorkflowHandle<Order, String> run = worker.client().start(Order.class, "o-" + i, w -> w.run(600_000));
                String token = token(run);
                Future<How> told = threads.submit(() -> complete(outsider, token, "completed"));
                try {
                    run.signal(Order::end);
                } catch (WorkflowNotFoundException e) {
                    assertThat(told.get()).as("the outcome has ended the run").isNull();
                }
                String result = run.result();
                How how = told.get();
                assertThat(how).isIn(null, How.CANCELLED, How.RUN_CLOSED);
                assertThat(result).isIn("completed", "over");
                if (how != null) {
                    assertThat(result).isEqualTo("over");
                }
            }
            assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        }
    }

    @Test
    void in_a_transaction_of_the_caller_the_outcome_comes_with_its_commit() throws Exception {
        try (Bench bench = new Bench();
                LogCapture log = LogCapture.named("dev.durable.store.postgres.internal.transaction.RelayPass");
                DurableEngine worker = bench.engine().register(Order.class).start()) {
            WorkflowHandle<Order, String> run = worker.client().start(Order.class, "o-1", w -> w.run(600_000));
            String token = token(run);
            try (Connection connection = bench.dataSource().getConnection()) {
                connection.setAutoCommit(false);
                worker.client().joining(connection).callback(token).complete("rolled back");
                connection.rollback();
                worker.client().joining(connection).callback(token).complete("committed");
                worker.client().joining(connection).callback(token).complete("second");
                connection.commit();
            }
            assertThat(run.result()).isEqualTo("committed");
            assertThat(complete(worker, token, "committed")).isNull();
            assertThat(complete(worker, token, "second")).isEqualTo(How.COMPLETED);
            assertThat(log.messages())
                    .containsExactly(
                            "CALLBACK CallbackCompleted to workflow o-1 is dropped: it was sent in a transaction,"
                                    + " and after its commit another outcome of its callback was there");
            assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        }
    }

    @Test
    void in_a_transaction_of_the_caller_nothing_waits_for_another_connection_and_a_late_outcome_is_told()
            throws Exception {
        try (Bench bench = new Bench();
                LogCapture log = LogCapture.named("dev.durable.internal.run.MessageJudge")) {
            FaultyStore store = FaultyStore.over(PostgresHistoryStore.of(bench.dataSource()));
            try (DurableEngine worker = DurableEngine.builder(store.store())
                            .register(Order.class)
                            .start();
                    Connection connection = bench.dataSource().getConnection()) {
                WorkflowHandle<Order, String> run = worker.client().start(Order.class, "o-1", w -> w.run(-600_000));
                String token = token(run);
                connection.setAutoCommit(false);
                store.before("callback", () -> {
                    throw new IllegalStateException("a second connection was taken");
                });
                worker.client().joining(connection).callback(token).complete("second");
                store.before("callback", () -> {});
                worker.client().callback(token).complete("first");
                Bench.awaitThat(() -> types(run).contains("CallbackCompleted"));
                connection.commit();
                Bench.awaitThat(() -> !log.messages().isEmpty());

                assertThat(log.messages().getFirst())
                        .startsWith("CallbackCompleted of o-1")
                        .endsWith("is dropped: the callback had an outcome before, which holds");
                run.signal(Order::end);
                assertThat(run.result()).isEqualTo("over");
            }
        }
    }

    private static List<String> types(WorkflowHandle<?, ?> run) {
        return run.history().stream().map(HistoryEvent::type).toList();
    }
}
