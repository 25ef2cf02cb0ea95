package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.store.postgres.SqlInvariants;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A run that continues as new after every few messages, while callers of two processes send to it. */
@Timeout(300)
class ContinueAsNewFromTwoProcessesTest {
    private static final int SENDERS = 4;
    private static final int MESSAGES = 60;

    /** Keeps what it was sent, in the order of handling, and continues as new after a few of them. */
    @Workflow
    static class Ledger {
        private final List<String> entries = new ArrayList<>();
        private boolean closed;

        @Run
        List<String> run(List<String> before) {
            entries.addAll(before);
            Durable.await(() -> closed || entries.size() >= before.size() + 3);
            if (closed) {
                return entries;
            }
            throw Durable.continueAsNew(Ledger.class, w -> w.run(entries));
        }

        @Signal
        void note(String entry) {
            entries.add(entry);
        }

        @Update
        int add(String entry) {
            entries.add(entry);
            return entries.size();
        }

        @Signal
        void close() {
            closed = true;
        }
    }

    @Test
    void what_two_processes_send_is_handled_once_and_in_order_and_each_update_gets_one_answer() throws Exception {
        try (Bench bench = new Bench();
                DurableEngine worker = bench.engine().register(Ledger.class).start();
                DurableEngine other = bench.engine().register(Ledger.class).start();
                ExecutorService threads = Executors.newFixedThreadPool(SENDERS)) {
            WorkflowHandle<Ledger, List<String>> run =
                    worker.client().start(Ledger.class, "l-1", w -> w.run(List.of()));
            List<Future<Map<String, Integer>>> sent = new ArrayList<>();
            for (int sender = 0; sender < SENDERS; sender++) {
                int number = sender;
                sent.add(threads.submit(() -> send(number % 2 == 0 ? worker : other, number)));
            }
            Map<String, Integer> answers = new HashMap<>();
            for (Future<Map<String, Integer>> one : sent) {
                answers.putAll(one.get());
            }
            run.signal(Ledger::close);

            List<String> entries = run.result();
            Set<String> once = new HashSet<>(entries);
            assertThat(entries).hasSize(SENDERS * MESSAGES);
            assertThat(once).hasSize(SENDERS * MESSAGES);
            for (int sender = 0; sender < SENDERS; sender++) {
                String from = sender + "-";
                assertThat(entries.stream()
                                .filter(entry -> entry.startsWith(from))
                                .map(entry -> Integer.valueOf(entry.substring(from.length()))))
                        .as("of one sender, which waits for each, in order")
                        .isSorted();
            }
            answers.forEach((entry, answer) -> assertThat(entries.get(answer - 1))
                    .as("the answer to " + entry)
                    .isEqualTo(entry));
            assertThat(run.describe().summary().chain().previousRunId()).isNotNull();
            assertThat(SqlInvariants.check(bench.dataSource())).isEmpty();
        }
    }

    /** Sends signals and updates in turn; returns the answers of the updates. */
    private static Map<String, Integer> send(DurableEngine engine, int sender) {
        WorkflowHandle<Ledger, ?> run = engine.client().handle(Ledger.class, "l-1");
        Map<String, Integer> answers = new HashMap<>();
        for (int i = 0; i < MESSAGES; i++) {
            String entry = sender + "-" + i;
            if (i % 3 == 0) {
                answers.put(entry, run.<Integer, RuntimeException>update(w -> w.add(entry)));
            } else {
                run.signal(w -> w.note(entry));
            }
        }
        return answers;
    }
}
