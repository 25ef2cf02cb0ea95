package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.store.postgres.PostgresHistoryStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a run says that it is doing, where another process or other code goes on with it; and the statements that it costs. */
@Timeout(300)
@Tag("slow")
class DetailsOfRebuiltRunsTest {
    private static final String WRITES_DETAILS = "set details =";

    @Workflow(name = "Transfer")
    static class Transfer {
        private int heard;

        @Run
        void run(boolean tells) {
            if (tells) {
                Durable.details("asks the bank");
            }
            Durable.await(() -> heard == 3);
        }

        @Signal
        void nod() {
            heard++;
        }
    }

    /** The same workflow in other words. */
    @Workflow(name = "Transfer")
    static class LaterTransfer extends Transfer {
        @Run
        @Override
        void run(boolean tells) {
            Durable.details("waits for the bank");
            Durable.await(() -> false);
        }
    }

    @Test
    void another_process_goes_on_with_the_line_and_other_code_puts_its_own_in_its_place_with_its_first_turn() {
        try (Bench bench = new Bench();
                DurableEngine caller = bench.engine().clientOnly().start()) {
            WorkflowHandle<?, ?> run;
            try (DurableEngine first = bench.engine().register(Transfer.class).start()) {
                first.client().startVoid(Transfer.class, "t-1", w -> w.run(true));
                run = caller.client().handle("t-1");
                assertThat(shown(run)).isEqualTo("asks the bank");
            }
            assertThat(shown(run)).isEqualTo("asks the bank");
            try (DurableEngine second = bench.engine().register(Transfer.class).start()) {
                run.signal("nod");
                Bench.awaitThat(run, now -> now.historyLength() == 2);
                assertThat(shown(run)).isEqualTo("asks the bank");
            }
            try (DurableEngine third =
                    bench.engine().register(LaterTransfer.class).start()) {
                run.signal("nod");
                Bench.awaitThat(run, now -> now.historyLength() == 3);
                assertThat(shown(run)).isEqualTo("waits for the bank");
            }
        }
    }

    @Test
    void a_run_that_says_nothing_sends_no_statement_for_it_and_one_that_does_sends_one_for_each_change() {
        try (Bench bench = new Bench()) {
            List<String> sent = new CopyOnWriteArrayList<>();
            // The run stays in memory, also under hard settings: one that is built again writes its line once more.
            try (DurableEngine engine = DurableEngine.builder(PostgresHistoryStore.of(noting(bench.dataSource(), sent)))
                    .register(Transfer.class)
                    .start()) {
                work(engine, "silent", false);
                assertThat(sent).isNotEmpty().noneMatch(sql -> sql.contains(WRITES_DETAILS));

                work(engine, "telling", true);
                assertThat(sent).filteredOn(sql -> sql.contains(WRITES_DETAILS)).hasSize(1);
            }
        }
    }

    private static void work(DurableEngine engine, String id, boolean tells) {
        WorkflowHandle<Transfer, ?> run = engine.client().startVoid(Transfer.class, id, w -> w.run(tells));
        for (int i = 0; i < 3; i++) {
            run.signal(Transfer::nod);
        }
        run.result();
    }

    private static String shown(WorkflowHandle<?, ?> run) {
        return run.describe().summary().details();
    }

    /** The data source, whose connections note the text of each statement that they prepare or execute. */
    private static DataSource noting(DataSource target, List<String> sent) {
        return noting(DataSource.class, target, sent);
    }

    private static <T> T noting(Class<T> type, Object target, List<String> sent) {
        return type.cast(Proxy.newProxyInstance(
                DetailsOfRebuiltRunsTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().startsWith("prepare")) {
                        sent.add((String) arguments[0]);
                    }
                    try {
                        Object result = method.invoke(target, arguments);
                        return result instanceof Connection connection
                                        && !method.getName().equals("unwrap")
                                ? noting(Connection.class, connection, sent)
                                : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
