package dev.durable.samples.springorders;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.postgres.testing.TestDatabase;
import java.net.ServerSocket;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Customers place orders at a steady rate while the application is killed and started again. In the end the database says
 * what there is: one workflow for each order, one order for each workflow, one booking for each order.
 */
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class LoadTest {
    private static final int RATE = Integer.getInteger("orders.rate", 100);
    private static final int SECONDS = Integer.getInteger("orders.seconds", 5);
    private static final int KILLS = Integer.getInteger("orders.kills", 1);

    @Test
    void everyOrderHasOneWorkflowAndOneBookingWhateverIsKilled() throws Exception {
        int count = RATE * SECONDS;
        int port = freePort();
        try (TestDatabase database = TestDatabase.migrated();
                Customers customers = new Customers(port)) {
            JdbcClient sql = JdbcClient.create(database.pooledDataSource(2));
            long begin = System.nanoTime();
            ApplicationProcess application = ApplicationProcess.start(database, port);
            try {
                customers.come(count, RATE);
                for (int kill = 1; kill <= KILLS; kill++) {
                    int enough = count * kill / (KILLS + 1);
                    await(() -> assertThat(customers.placed.get()).isGreaterThanOrEqualTo(enough));
                    application.kill();
                    application = ApplicationProcess.start(database, port);
                }
                customers.leave();
                await(() -> assertThat(number(sql, "select count(*) from durable.v_workflow where status = 'RUNNING'"))
                        .isZero());
            } finally {
                application.close();
            }
            System.out.printf(
                    "LoadTest: %d orders in %d s, %d requests unanswered, %d orders repeated%n",
                    count,
                    Duration.ofNanos(System.nanoTime() - begin).toSeconds(),
                    customers.unanswered.get(),
                    customers.repeated.get());

            assertThat(number(sql, "select count(*) from purchase_order")).isEqualTo(count);
            assertThat(number(sql, """
                    select count(*) from purchase_order o
                    full join durable.v_workflow w on w.workflow_id = 'order-' || o.id
                    where o.id is null or w.workflow_id is null or w.status <> 'COMPLETED'"""))
                    .as("orders without a completed workflow, workflows without an order")
                    .isZero();
            assertThat(number(sql, "select count(*) from durable.v_workflow"))
                    .as("one run for each order")
                    .isEqualTo(count);
            assertThat(number(sql, """
                    select count(*) from (
                        select o.id from purchase_order o left join booking b on b.order_id = o.id
                        group by o.id, o.booked having count(b.id) <> 1 or not o.booked) wrong"""))
                    .as("orders that are not booked exactly once")
                    .isZero();
            assertThat(number(sql, "select count(*) from booking")).isEqualTo(count);
        }
    }

    private interface Claim {
        void check();
    }

    private static void await(Claim claim) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(5))
                .pollInterval(Duration.ofMillis(50))
                .untilAsserted(claim::check);
    }

    private static long number(JdbcClient sql, String query) {
        return sql.sql(query).query(Long.class).single();
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
