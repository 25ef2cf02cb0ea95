package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableEngine;
import dev.durable.history.SignalReceived;
import dev.durable.store.postgres.SqlInvariants;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many callers signal a few workflow ids whose runs close all the time, over two processes. */
@Timeout(300)
class SignalWithStartRaceTest {
    private static final int CALLERS = 8;
    private static final int IDS = 4;
    private static final int EACH = 40;

    /** A workflow that closes after three words. */
    @Workflow
    static class Words {
        private int heard;
        private boolean stop;

        @Run
        void run() {
            Durable.await(() -> heard >= 3 || stop);
        }

        @Signal
        void say(String word) {
            heard++;
        }

        @Signal
        void stop() {
            stop = true;
        }
    }

    @Test
    void each_acknowledged_signal_stands_once_in_the_history_of_the_run_that_its_caller_was_told() throws Exception {
        Map<String, UUID> told = new ConcurrentHashMap<>();
        try (Bench bench = new Bench();
                DurableEngine one = bench.engine().register(Words.class).start();
                DurableEngine other = bench.engine().register(Words.class).start();
                ExecutorService callers = Executors.newFixedThreadPool(CALLERS)) {
            List<Future<?>> calls = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                DurableEngine engine = caller % 2 == 0 ? one : other;
                String name = "caller " + caller;
                int offset = caller;
                calls.add(callers.submit(() -> {
                    for (int i = 0; i < EACH; i++) {
                        String word = name + " word " + i;
                        String id = "w-" + (offset + i) % IDS;
                        var run = engine.client().signalWithStartVoid(Words.class, id, Words::run, w -> w.say(word));
                        told.put(word, run.runId());
                    }
                }));
            }
            for (Future<?> call : calls) {
                call.get();
            }
            stopAll(one);

            Map<String, UUID> seen = new TreeMap<>();
            for (UUID run : List.copyOf(new java.util.TreeSet<>(told.values()))) {
                one.client().history(run).events(SignalReceived.class).forEach(signal -> {
                    if (signal.name().equals("say")) {
                        String word = signal.input().json().replaceAll("[\\[\\]\"]", "");
                        assertThat(seen.put(word, run))
                                .as("seen before: " + word)
                                .isNull();
                    }
                });
            }
            assertThat(told).hasSize(CALLERS * EACH);
            assertThat(seen).isEqualTo(new TreeMap<>(told));
            assertThat(new java.util.HashSet<>(told.values())).hasSizeGreaterThan(IDS * 2);
            assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        }
    }

    private static void stopAll(DurableEngine engine) {
        for (int i = 0; i < IDS; i++) {
            var run = engine.client().handle(Words.class, "w-" + i);
            try {
                run.signal(Words::stop);
            } catch (WorkflowNotFoundException e) {
                // The run has closed by now, after three words.
            }
            run.resultAs(Object.class);
        }
    }
}
