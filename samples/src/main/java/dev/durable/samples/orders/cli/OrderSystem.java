package dev.durable.samples.orders.cli;

import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.samples.orders.OrderWorkflow;
import dev.durable.samples.orders.shop.Shop;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.embedded.PostgresSource;
import java.time.Duration;

/** The parts that a command works with: the database, the shop's tables on it, and the engine. */
final class OrderSystem implements AutoCloseable {
    private final PostgresSource database;
    private final Shop shop;
    private final DurableEngine engine;

    private OrderSystem(PostgresSource database, Shop shop, DurableEngine engine) {
        this.database = database;
        this.shop = shop;
        this.engine = engine;
    }

    /** Opens it with a worker, that fulfils orders. */
    static OrderSystem atWork() {
        PostgresSource database = PostgresSource.open();
        Shop shop = Shop.on(database.dataSource());
        DurableEngine engine = DurableEngine.builder(PostgresHistoryStore.of(database.dataSource()))
                .register(OrderWorkflow.class)
                .register(shop.activities())
                .queue("default", queue -> queue.slots(16))
                // How long the work of a killed process lies until the next one takes it; the default, 30s, is for
                // fleets, where a pause of the garbage collector should not look like death.
                .sessionLease(Duration.ofSeconds(5))
                .start();
        return new OrderSystem(database, shop, engine);
    }

    /** Opens it to look, and to send signals. */
    static OrderSystem atRest() {
        PostgresSource database = PostgresSource.open();
        Shop shop = Shop.on(database.dataSource());
        DurableEngine engine = DurableEngine.builder(PostgresHistoryStore.of(database.dataSource()))
                .clientOnly()
                .start();
        return new OrderSystem(database, shop, engine);
    }

    DurableClient client() {
        return engine.client();
    }

    Shop shop() {
        return shop;
    }

    PostgresSource database() {
        return database;
    }

    @Override
    public void close() {
        engine.close();
        database.close();
    }
}
