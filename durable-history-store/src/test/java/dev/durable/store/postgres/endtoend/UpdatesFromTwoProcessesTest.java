package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.UpdateNotCompletedException;
import dev.durable.UpdateRejectedException;
import dev.durable.Workflow;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WaitFor;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.UpdateAccepted;
import dev.durable.store.postgres.SqlInvariants;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers of two processes update one run, which goes on in one of the two or in a third. */
@Timeout(300)
class UpdatesFromTwoProcessesTest {
    private static final int UPDATES = 40;

    /** Counts what it is given. */
    @Workflow
    static class Counter {
        private int total;
        private boolean stop;

        @Run
        int run() {
            Durable.await(() -> stop);
            return total;
        }

        @Update
        int add(int count) {
            total += count;
            return total;
        }

        @Update.Validator("add")
        void check(int count) {
            if (count < 0) {
                throw new IllegalArgumentException("negative");
            }
        }

        @Signal
        void stop() {
            stop = true;
        }
    }

    @Test
    void an_id_that_two_processes_send_has_one_effect_and_one_answer() throws Exception {
        try (Bench bench = new Bench();
                DurableEngine worker = bench.engine().register(Counter.class).start();
                DurableEngine caller =
                        bench.engine().register(Counter.class).clientOnly().start();
                ExecutorService threads = Executors.newFixedThreadPool(8)) {
            WorkflowHandle<Counter, Integer> run = worker.client().start(Counter.class, "c-1", Counter::run);
            List<Future<Integer>> here = new ArrayList<>();
            List<Future<Integer>> there = new ArrayList<>();
            for (int i = 0; i < UPDATES; i++) {
                String id = "u-" + i;
                here.add(threads.submit(() -> add(worker, id, 1)));
                there.add(threads.submit(() -> add(caller, id, 1)));
            }
            for (int i = 0; i < UPDATES; i++) {
                assertThat(there.get(i).get()).isEqualTo(here.get(i).get());
            }
            assertThat(rejections(caller) + rejections(worker)).isEqualTo(2);
            run.signal(Counter::stop);

            assertThat(run.result()).isEqualTo(UPDATES);
            assertThat(run.history().events(UpdateAccepted.class)).hasSize(UPDATES);
            assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        }
    }

    private static int add(DurableEngine engine, String id, int count) {
        return engine.client()
                .handle(Counter.class, "c-1")
                .<Integer, RuntimeException>startUpdate(id, w -> w.add(count), WaitFor.ACCEPTED)
                .result();
    }

    private static int rejections(DurableEngine engine) {
        try {
            return add(engine, "rejected", -1);
        } catch (UpdateRejectedException e) {
            return 1;
        }
    }

    @Test
    void updates_that_come_while_the_run_ends_are_answered_or_told_how_it_ended() throws Exception {
        try (Bench bench = new Bench();
                DurableEngine worker = bench.engine().register(Counter.class).start();
                DurableEngine caller =
                        bench.engine().register(Counter.class).clientOnly().start();
                ExecutorService threads = Executors.newFixedThreadPool(8)) {
            WorkflowHandle<Counter, Integer> run = worker.client().start(Counter.class, "c-1", Counter::run);
            List<Future<Integer>> added = new ArrayList<>();
            for (int i = 0; i < UPDATES; i++) {
                DurableEngine engine = i % 2 == 0 ? worker : caller;
                added.add(threads.submit(() -> addOrTooLate(engine)));
                if (i == UPDATES / 2) {
                    run.signal(Counter::stop);
                }
            }
            int answered = 0;
            for (Future<Integer> one : added) {
                answered += one.get();
            }

            assertThat(run.result()).as("what was answered was counted").isEqualTo(answered);
            assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        }
    }

    /** Closes after three words. */
    @Workflow
    static class Words {
        private int heard;

        @Run
        void run() {
            Durable.await(() -> heard >= 3);
        }

        @Update
        int say(String word) {
            return ++heard;
        }
    }

    @Test
    void updates_that_start_their_runs_are_each_accepted_once_while_runs_close_all_the_time() throws Exception {
        Map<String, UUID> told = new ConcurrentHashMap<>();
        try (Bench bench = new Bench();
                DurableEngine one = bench.engine().register(Words.class).start();
                DurableEngine other = bench.engine().register(Words.class).start();
                ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<?>> calls = new ArrayList<>();
            for (int i = 0; i < 4 * UPDATES; i++) {
                DurableEngine engine = i % 2 == 0 ? one : other;
                String word = "word-" + i;
                String id = "w-" + i % 3;
                calls.add(threads.submit(() -> told.put(word, say(engine, id, word))));
            }
            for (Future<?> call : calls) {
                call.get();
            }

            Map<String, UUID> seen = new HashMap<>();
            for (UUID run : Set.copyOf(told.values())) {
                one.client()
                        .history(run)
                        .events(UpdateAccepted.class)
                        .forEach(update -> assertThat(seen.put(update.updateId(), run))
                                .as("accepted before: " + update.updateId())
                                .isNull());
            }
            assertThat(seen).isEqualTo(told);
            assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        }
    }

    /** Sends the update until a run has accepted it; returns that run. */
    private static UUID say(DurableEngine engine, String workflowId, String word) {
        StartOptions options = StartOptions.id(workflowId);
        while (true) {
            var said = engine.client().updateWithStartVoid(Words.class, options, Words::run, word, w -> w.say(word));
            try {
                assertThat(said.update().result()).isPositive();
                return said.update().runId();
            } catch (UpdateNotCompletedException e) {
                assertThat(e.accepted()).isFalse();
            }
        }
    }

    private static int addOrTooLate(DurableEngine engine) {
        try {
            engine.client().handle(Counter.class, "c-1").update((Counter w) -> w.add(1));
            return 1;
        } catch (UpdateNotCompletedException e) {
            assertThat(e.accepted()).isFalse();
            return 0;
        } catch (WorkflowNotFoundException e) {
            return 0;
        }
    }
}
