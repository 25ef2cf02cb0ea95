package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.testing.TestDatabase;
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
import org.postgresql.ds.PGSimpleDataSource;

/** A run that continues as new after every few messages, while callers of two processes send to it. */
@Timeout(300)
class ContinueAsNewFromTwoProcessesTest {
    private static final int SENDERS = 4;
    private static final int MESSAGES = 60;
    private static final int FEW = 12;

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

    @Test
    void a_signal_whose_commit_was_not_answered_is_handled_once_although_the_run_has_continued() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                DurableEngine worker = Bench.engineOn(database.dataSource())
                        .register(Ledger.class)
                        .start();
                CuttingProxy proxy =
                        new CuttingProxy(((PGSimpleDataSource) database.dataSource()).getPortNumbers()[0]);
                HikariDataSource pool = through(database, proxy.port());
                DurableEngine caller =
                        Bench.engineOn(pool).register(Ledger.class).clientOnly().start()) {
            WorkflowHandle<Ledger, List<String>> run =
                    worker.client().start(Ledger.class, "l-1", w -> w.run(List.of()));
            WorkflowHandle<Ledger, ?> cut = caller.client().handle(Ledger.class, "l-1");
            proxy.cut(3, Integer.MAX_VALUE);
            for (int i = 0; i < FEW; i++) {
                String entry = "0-" + i;
                cut.signal(w -> w.note(entry));
            }
            int cuts = proxy.cuts();
            proxy.cut(Integer.MAX_VALUE, Integer.MAX_VALUE);
            run.signal(Ledger::close);

            assertThat(cuts).isGreaterThan(2);
            assertThat(run.result()).hasSize(FEW).doesNotHaveDuplicates();
            assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
        }
    }

    private static HikariDataSource through(TestDatabase database, int port) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl().replaceFirst(":\\d+/", ":" + port + "/"));
        config.setUsername(database.username());
        config.setPassword(database.password());
        config.setMaximumPoolSize(8);
        return new HikariDataSource(config);
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
