package dev.durable.samples.orders.shop;

import dev.durable.samples.orders.Approvals;
import dev.durable.samples.orders.Money;
import java.time.Duration;
import java.util.List;
import org.jooq.DSLContext;

/** The orders that wait for a person, in a table that the person's screen would show. */
public final class ApprovalDesk implements Approvals {
    private final DSLContext sql;

    ApprovalDesk(DSLContext sql) {
        this.sql = sql;
    }

    @Override
    public void request(String orderId, String customer, Money total) {
        sql.execute("""
                insert into shop.approval (order_id, customer, amount, currency) values (?, ?, ?, ?)
                on conflict (order_id) do nothing""", orderId, customer, total.amount(), total.currency());
    }

    @Override
    public void withdraw(String orderId) {
        sql.execute(
                "update shop.approval set withdrawn_at = now() where order_id = ? and answered_at is null", orderId);
    }

    /** Orders that have been lying there for that long without an answer, oldest first. */
    List<String> unanswered(Duration atLeast) {
        return sql.fetch("""
                        select order_id from shop.approval
                        where answered_at is null and withdrawn_at is null and requested_at <= now() - ? * interval '1 ms'
                        order by requested_at""", atLeast.toMillis()).getValues(0, String.class);
    }

    /** How many orders are lying there. */
    public long waiting() {
        return unanswered(Duration.ZERO).size();
    }

    /** Notes that the order has its answer. */
    public void answered(String orderId, String by) {
        sql.execute("update shop.approval set answered_at = now(), answered_by = ? where order_id = ?", by, orderId);
    }
}
