package dev.durable.samples.orders.shop;

import dev.durable.ActivityContext;
import dev.durable.samples.orders.CardDeclined;
import dev.durable.samples.orders.Money;
import dev.durable.samples.orders.Payments;
import java.util.Locale;
import java.util.UUID;
import org.jooq.DSLContext;

/** A payment provider and its ledger: charges and refunds, added, never changed. */
final class PaymentLedger implements Payments {
    private final DSLContext sql;
    private final Latency latency;

    PaymentLedger(DSLContext sql, Latency latency) {
        this.sql = sql;
        this.latency = latency;
    }

    @Override
    public String charge(UUID payment, String orderId, String card, Money amount) throws CardDeclined {
        latency.pass();
        refuseBadCards(card);
        sql.execute(
                """
                insert into shop.ledger (idempotency_key, payment_id, order_id, kind, amount, currency)
                values (?, ?, ?, 'CHARGE', ?, ?)
                on conflict (idempotency_key) do nothing""",
                ActivityContext.current().info().idempotencyKey(),
                payment,
                orderId,
                amount.amount(),
                amount.currency());
        return "AUTH-" + payment.toString().substring(0, 8).toUpperCase(Locale.ROOT);
    }

    @Override
    public void refund(UUID payment) {
        latency.pass();
        sql.execute("""
                insert into shop.ledger (idempotency_key, payment_id, order_id, kind, amount, currency)
                select ?, payment_id, order_id, 'REFUND', -amount, currency
                from shop.ledger where payment_id = ? and kind = 'CHARGE'
                on conflict (idempotency_key) do nothing""", ActivityContext.current().info().idempotencyKey(), payment);
    }

    /** As payment providers' test cards do: the number says how the bank answers. */
    private static void refuseBadCards(String card) throws CardDeclined {
        switch (card.substring(card.lastIndexOf('_') + 1)) {
            case "0002" -> throw new CardDeclined("insufficient funds");
            case "0069" -> throw new CardDeclined("expired");
            case "0119" -> throw new CardDeclined("reported as lost");
            default -> {}
        }
    }
}
