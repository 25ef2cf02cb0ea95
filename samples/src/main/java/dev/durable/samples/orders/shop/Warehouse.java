package dev.durable.samples.orders.shop;

import dev.durable.ActivityContext;
import dev.durable.samples.orders.Inventory;
import dev.durable.samples.orders.OutOfStock;
import org.jooq.DSLContext;

/** The stock, and what of it is put aside for whom. */
final class Warehouse implements Inventory {
    private final DSLContext sql;
    private final Latency latency;

    Warehouse(DSLContext sql, Latency latency) {
        this.sql = sql;
        this.latency = latency;
    }

    /**
     * The reservation comes first and the stock follows from it: a second attempt inserts nothing and takes nothing. Two
     * orders that want the last one at the same time both see it; the check on {@code on_hand} stops the slower, whose
     * next attempt sees none.
     */
    @Override
    public void reserve(String orderId, String sku, int quantity) throws OutOfStock {
        latency.pass();
        String key = ActivityContext.current().info().idempotencyKey();
        int taken = sql.execute("""
                with reserved as (
                    insert into shop.reservation (idempotency_key, order_id, sku, quantity)
                    select ?, ?, sku, ? from shop.stock where sku = ? and on_hand >= ?
                    on conflict (idempotency_key) do nothing
                    returning sku, quantity)
                update shop.stock set on_hand = on_hand - reserved.quantity
                from reserved where stock.sku = reserved.sku""", key, orderId, quantity, sku, quantity);
        if (taken == 0 && !reservedBefore(key)) {
            throw new OutOfStock(sku, quantity);
        }
    }

    @Override
    public void release(String orderId) {
        latency.pass();
        sql.execute("""
                with released as (
                    update shop.reservation set released_at = now()
                    where order_id = ? and released_at is null
                    returning sku, quantity)
                update shop.stock set on_hand = on_hand + released.quantity
                from released where stock.sku = released.sku""", orderId);
    }

    private boolean reservedBefore(String key) {
        return sql.fetchOptional("select 1 from shop.reservation where idempotency_key = ?", key)
                .isPresent();
    }
}
