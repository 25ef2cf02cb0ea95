package dev.durable.samples.orders.shop;

import dev.durable.ActivityContext;
import dev.durable.ActivityInfo;
import dev.durable.samples.orders.Shipping;
import dev.durable.samples.orders.Undeliverable;
import java.util.Set;
import org.jooq.DSLContext;

/** A carrier that does not go everywhere, and whose service is down for one order in eight at its first attempts. */
final class Carrier implements Shipping {
    private static final Set<String> NOT_SERVED = Set.of("GL", "SJ");

    private final DSLContext sql;
    private final Latency latency;

    Carrier(DSLContext sql, Latency latency) {
        this.sql = sql;
        this.latency = latency;
    }

    @Override
    public String label(String orderId, String country) {
        latency.pass();
        String tracking = "%s%08d%s".formatted("RX", Math.floorMod(orderId.hashCode() * 7919L, 100_000_000L), country);
        sql.execute("""
                insert into shop.label (idempotency_key, order_id, tracking) values (?, ?, ?)
                on conflict (idempotency_key) do nothing""", ActivityContext.current().info().idempotencyKey(), orderId, tracking);
        return tracking;
    }

    @Override
    public void ship(String orderId, String tracking, String country) throws Undeliverable {
        latency.pass();
        if (NOT_SERVED.contains(country)) {
            throw new Undeliverable(country);
        }
        ActivityInfo info = ActivityContext.current().info();
        if (info.attempt() <= failingAttempts(orderId)) {
            throw new CarrierUnavailable("503 Service Unavailable, attempt " + info.attempt() + " for " + tracking);
        }
        sql.execute("""
                insert into shop.shipment (idempotency_key, order_id, tracking, attempt) values (?, ?, ?, ?)
                on conflict (idempotency_key) do nothing""", info.idempotencyKey(), orderId, tracking, info.attempt());
    }

    private static int failingAttempts(String orderId) {
        int number = Math.floorMod(orderId.hashCode(), 24);
        return number < 3 ? number + 1 : 0;
    }
}
