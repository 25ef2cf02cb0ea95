package dev.durable.samples.orders.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowQuery;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.History;
import dev.durable.history.HistoryEvent;
import dev.durable.samples.orders.Order;
import dev.durable.samples.orders.OrderWorkflow;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** Compares what the shop's tables say with what the histories say. */
final class Audit implements AutoCloseable {
    private final EmbeddedPostgres postgres;
    private final DSLContext sql;
    private final DurableEngine engine;
    private final Map<String, History> histories = new HashMap<>();

    private Audit(EmbeddedPostgres postgres) {
        this.postgres = postgres;
        this.sql = DSL.using(postgres.dataSource(), SQLDialect.POSTGRES);
        this.engine = DurableEngine.builder(PostgresHistoryStore.of(postgres.dataSource()))
                .clientOnly()
                .start();
    }

    static Audit of(Path directory) {
        return new Audit(EmbeddedPostgres.at(directory.resolve(EmbeddedPostgres.DEFAULT_DIRECTORY)));
    }

    void everyOrderEndedOnce(List<Order> orders) {
        try (Stream<WorkflowQuery.Row> rows = engine.client().workflows().stream()) {
            List<WorkflowQuery.Row> runs = rows.toList();
            assertThat(runs)
                    .allMatch(run -> run.status() == WorkflowStatus.COMPLETED || run.status() == WorkflowStatus.FAILED);
            assertThat(runs)
                    .extracting(WorkflowQuery.Row::workflowId)
                    .containsExactlyInAnyOrderElementsOf(orders.stream()
                            .map(order -> Order.workflowId(order.id()))
                            .toList());
            runs.forEach(run -> histories.put(
                    run.workflowId().substring("order-".length()),
                    run.handle(OrderWorkflow.class).history()));
        }
    }

    void everyChargeHasOneEnd() {
        histories.forEach((order, history) -> {
            List<Integer> charges = scheduled(history, "Payments.charge");
            assertThat(charges).as("charges of %s", order).hasSize(1);
            assertThat(ends(history, charges.getFirst()))
                    .as("ends of the charge of %s", order)
                    .hasSize(1);
        });
    }

    void theLedgerAgreesWithTheHistories() {
        Map<String, BigDecimal> kept = sums("select order_id, sum(amount) from shop.ledger group by order_id");
        Map<String, BigDecimal> entries = sums("select order_id, count(*) from shop.ledger group by order_id");
        histories.forEach((order, history) -> {
            boolean charged = completed(history, "Payments.charge");
            boolean shipped = completed(history, "Shipping.ship");
            int expected = !charged ? 0 : shipped ? 1 : 2;
            assertThat(entries.getOrDefault(order, BigDecimal.ZERO))
                    .as("ledger entries of %s", order)
                    .isEqualByComparingTo(BigDecimal.valueOf(expected));
            assertThat(kept.getOrDefault(order, BigDecimal.ZERO).signum())
                    .as("money kept of %s", order)
                    .isEqualTo(shipped ? 1 : 0);
        });
    }

    void theStockAgreesWithTheReservations() {
        assertThat(sql.fetch("""
                        select s.sku from shop.stock s left join shop.reservation r
                            on r.sku = s.sku and r.released_at is null
                        where s.sku <> 'CHAIR-RATTAN-03'
                        group by s.sku, s.on_hand having s.on_hand + coalesce(sum(r.quantity), 0) <> 10000""")).as("articles that got lost or doubled").isEmpty();
        assertThat(sums("select order_id, count(*) from shop.shipment group by order_id"))
                .allSatisfy((order, parcels) -> assertThat(parcels).isEqualByComparingTo("1"))
                .containsOnlyKeys(shippedOrders());
    }

    void theStoreKeepsItsInvariants() throws SQLException {
        assertThat(SqlInvariants.check(postgres.dataSource())).isEmpty();
    }

    private String[] shippedOrders() {
        return histories.entrySet().stream()
                .filter(order -> completed(order.getValue(), "Shipping.ship"))
                .map(Map.Entry::getKey)
                .toArray(String[]::new);
    }

    private Map<String, BigDecimal> sums(String query) {
        return sql.fetch(query).intoMap(row -> row.get(0, String.class), row -> row.get(1, BigDecimal.class));
    }

    private static boolean completed(History history, String activity) {
        return scheduled(history, activity).stream()
                .flatMap(seq -> ends(history, seq).stream())
                .anyMatch(ActivityCompleted.class::isInstance);
    }

    private static List<Integer> scheduled(History history, String activity) {
        return history.events(ActivityScheduled.class)
                .filter(event -> event.activity().equals(activity))
                .map(ActivityScheduled::seq)
                .toList();
    }

    private static List<HistoryEvent> ends(History history, int seq) {
        return history.stream()
                .filter(event -> (event instanceof ActivityCompleted completed && completed.seq() == seq)
                        || (event instanceof ActivityFailed failed && failed.seq() == seq))
                .toList();
    }

    @Override
    public void close() {
        engine.close();
        postgres.close();
    }
}
