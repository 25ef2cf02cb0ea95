package dev.durable.samples.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.History;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.testing.TestDatabase;
import java.math.BigDecimal;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first program of a new user. */
class QuickStartTest {
    private final Order theOrder = new Order("42", new BigDecimal("64.50"));

    @TempDir
    private Path folder;

    @Test
    void anOrderIsPaidAndItsHistoryCanBeAsked() throws Exception {
        try (TestDatabase database = TestDatabase.create()) {
            DataSource dataSource = database.pooledDataSource(12);
            assertThat(fulfil(dataSource)).isEqualTo("AUTH-4711");
            askTheHistory(dataSource);
        }
    }

    /** Leaves a database with the finished order 42. */
    String fulfil(DataSource dataSource) {
        // docs: engine
        try (DurableEngine engine = DurableEngine.builder(PostgresHistoryStore.of(dataSource))
                .register(OrderWorkflow.class, new StripePayments())
                .start()) {
            var order = engine.client().start(OrderWorkflow.class, "order-42", w -> w.run(theOrder));
            order.signal(w -> w.approve("ann"));
            String code = order.result();
            // docs: end
            return code;
            // docs: engine
        }
        // docs: end
    }

    private void askTheHistory(DataSource dataSource) {
        try (DurableEngine engine = DurableEngine.builder(PostgresHistoryStore.of(dataSource))
                .register(OrderWorkflow.class)
                .clientOnly()
                .start()) {
            DurableClient client = engine.client();
            Path file = folder.resolve("order-42.json");
            // docs: ask-the-history
            History events = client.history("order-42"); // sealed events, a record per type
            long attempts = events.events(ActivityCompleted.class)
                    .mapToInt(ActivityCompleted::attempt)
                    .sum();
            client.export("order-42", file); // one stable JSON document; Replayer reads it
            var paid = client.workflows()
                    .where(w -> w.type(OrderWorkflow.class).status(WorkflowStatus.COMPLETED))
                    .newestFirst()
                    .page(50);
            // docs: end
            assertThat(attempts).isOne();
            assertThat(file).isNotEmptyFile();
            assertThat(paid).hasSize(1);
        }
    }
}
