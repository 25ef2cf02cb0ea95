package dev.durable.samples.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.Operation;
import dev.durable.client.OperationPreview;
import dev.durable.client.OperationProgress;
import dev.durable.client.Queues;
import dev.durable.client.UpkeepStep;
import dev.durable.client.WorkflowVerbs;
import dev.durable.store.postgres.HistoryPartitions;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.testing.TestDatabase;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How a worker process is set up, and what it tells about itself. */
@Tag("slow")
class WorkersTest {
    @Test
    void aWorkerTellsHowItsUpkeepGoes() {
        try (TestDatabase database = TestDatabase.create()) {
            DataSource dataSource = database.pooledDataSource(12);
            // docs: worker-settings
            try (DurableEngine engine = DurableEngine.builder(PostgresHistoryStore.of(dataSource))
                    .register(OrderWorkflow.class, new StripePayments())
                    .queue("default", queue -> queue.slots(50))
                    .identity("shop-1")
                    .sessionLease(Duration.ofSeconds(30))
                    .drainTimeout(Duration.ofSeconds(10))
                    .pollInterval(Duration.ofSeconds(1))
                    .start()) {
                // docs: end
                var order = engine.client()
                        .start(OrderWorkflow.class, "order-7", w -> w.run(new Order("7", BigDecimal.TEN)));
                order.signal(w -> w.approve("ann"));
                order.result();
                // docs: upkeep
                boolean healthy = engine.healthy(); // false while a step is late or a loop hangs
                List<String> problems = engine.problems(); // why, and what to do
                List<UpkeepStep> late =
                        engine.upkeep().stream().filter(UpkeepStep::late).toList();
                int zombies = engine.worker().zombies();
                long stale = engine.worker().staleReports();
                // docs: end
                assertThat(healthy).isTrue();
                assertThat(problems).isEmpty();
                assertThat(late).isEmpty();
                assertThat(zombies).isZero();
                assertThat(stale).isZero();
                // docs: worker-settings
            }
            // docs: end
        }
    }

    @Test
    void theOwnerMigratesAndDropsWhatIsOver() {
        try (TestDatabase database = TestDatabase.create()) {
            DataSource dataSource = database.pooledDataSource(4);
            DataSource owner = database.dataSource();
            // docs: migration-data-source
            PostgresHistoryStore store = PostgresHistoryStore.builder(dataSource)
                    .migrationDataSource(owner) // Spring: durable.migration-url, -username, -password
                    .build();
            // docs: end
            store.open();
            store.close();
            // docs: drop-a-month
            List<String> dropped = HistoryPartitions.of(owner)
                    .drop(YearMonth.now(ZoneOffset.UTC).minusMonths(13));
            // docs: end
            assertThat(dropped).isEmpty();
        }
    }

    @Test
    void aProcessNamesItsBuild() {
        try (TestDatabase database = TestDatabase.create()) {
            DataSource dataSource = database.pooledDataSource(12);
            // docs: build
            try (DurableEngine engine = DurableEngine.builder(PostgresHistoryStore.of(dataSource))
                    .build("2026-11-27.1")
                    .register(OrderWorkflow.class, new StripePayments())
                    .start()) {
                // docs: end
                assertThat(engine.healthy()).isTrue();
                // docs: build
            }
            // docs: end
        }
    }

    @Test
    void queuesArePooledLimitedAndPaused() {
        try (TestDatabase database = TestDatabase.create()) {
            DataSource dataSource = database.pooledDataSource(12);
            // docs: queue-pools
            try (DurableEngine engine = DurableEngine.builder(PostgresHistoryStore.of(dataSource))
                    .register(OrderWorkflow.class, new StripePayments())
                    .pool("io", pool -> pool.slots(50).queue("default", 3).queue("mail", 1))
                    .start()) {
                // docs: end
                // docs: queue-rules
                Queues queues = engine.client().queues().by("ann");
                queues.limits(
                        "mail",
                        limits -> limits.concurrency(20)
                                .ratePerSecond(50)
                                .maxDepth(100_000)
                                .perKey(key -> key.concurrency(3)));
                queues.pauseActivity("Payments.charge", Instant.now().plus(Duration.ofHours(1)));
                queues.resumeActivity("Payments.charge");
                long waiting = queues.describe("mail").ready();
                // docs: end
                assertThat(waiting).isZero();
                assertThat(queues.describe("mail").limits().maxDepth()).isEqualTo(100_000);
                // docs: queue-pools
            }
            // docs: end
        }
    }

    @Test
    void operatorsHaltEverythingAndPauseManyRuns() {
        try (TestDatabase database = TestDatabase.create();
                DurableEngine engine = DurableEngine.builder(PostgresHistoryStore.of(database.pooledDataSource(12)))
                        .register(OrderWorkflow.class, new StripePayments())
                        .start()) {
            DurableClient client = engine.client();
            Instant deployedAt = Instant.now().minus(Duration.ofHours(1));
            // docs: operations
            WorkflowVerbs orders = client.workflows()
                    .where(w -> w.type(OrderWorkflow.class).startedAfter(deployedAt))
                    .by("ann")
                    .because("the provider is down");
            OperationPreview preview = orders.dryRun();
            Operation operation = orders.rate(200).pause();
            OperationProgress progress = operation.await(Duration.ofMinutes(10));
            // docs: end
            assertThat(preview.total()).isZero();
            assertThat(progress.done()).isZero();
            // docs: halt
            Queues queues = client.queues().by("ann").because("charges twice");
            queues.halt();
            client.workflows()
                    .where(w -> w.type(OrderWorkflow.class))
                    .by("ann")
                    .because("charges twice")
                    .pause()
                    .await();
            queues.pauseActivity("Payments.charge");
            queues.endHalt();
            // docs: end
            assertThat(queues.isHalted()).isFalse();
        }
    }
}
