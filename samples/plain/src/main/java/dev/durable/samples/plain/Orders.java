package dev.durable.samples.plain;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.embedded.PostgresSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/** Saves an order and starts its workflow in one transaction; the workflow charges, waits for approval, and books. */
public final class Orders {
    private Orders() {}

    @Activity
    static class Shop {
        public String charge(String order) {
            return "AUTH-" + order;
        }

        @Activity(transactional = true) // exactly once: this row and the activity's completion are one transaction
        public void book(String order, String code) throws SQLException {
            Connection transaction = ActivityContext.current().transaction(Connection.class);
            update(transaction, "insert into booking (order_id, code) values (?, ?)", order, code);
        }
    }

    @Workflow
    static class OrderWorkflow {
        private final Shop shop;
        private boolean approved;

        OrderWorkflow(Shop shop) {
            this.shop = shop;
        }

        @Run
        String run(String order) throws SQLException {
            String code = shop.charge(order);
            Durable.await(() -> approved);
            shop.book(order, code);
            return code;
        }

        @Signal
        void approve() {
            approved = true;
        }
    }

    public static void main(String[] arguments) throws SQLException {
        String command = arguments[0];
        String order = arguments[1];
        try (PostgresSource postgres = PostgresSource.open();
                DurableEngine engine = DurableEngine.builder(PostgresHistoryStore.of(postgres.dataSource()))
                        .register(OrderWorkflow.class, new Shop())
                        .sessionLease(Duration.ofSeconds(5)) // what a killed process had is free after that
                        .start()) {
            if (command.equals("place")) {
                try (Connection connection = postgres.dataSource().getConnection()) {
                    connection.setAutoCommit(false);
                    update(connection, "create table if not exists purchase_order (id text primary key)");
                    update(connection, "create table if not exists booking (order_id text, code text)");
                    if (update(connection, "insert into purchase_order values (?) on conflict do nothing", order) > 0) {
                        engine.client().joining(connection).start(OrderWorkflow.class, order, w -> w.run(order));
                    }
                    connection.commit(); // row and workflow, or neither
                }
            } else {
                engine.client().handle(OrderWorkflow.class, order).signal(w -> w.approve());
            }
            System.out.println("waiting for order " + order);
            System.out.println("booked: " + engine.client().handle(order).resultAs(String.class));
        }
    }

    private static int update(Connection connection, String sql, String... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }
}
