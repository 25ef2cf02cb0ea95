package dev.durable.samples.snippets;

import java.math.BigDecimal;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Stands for a payment provider. */
final class StripePayments implements Payments {
    private final Map<UUID, BigDecimal> charges = new ConcurrentHashMap<>();

    @Override
    public String charge(UUID payment, BigDecimal amount) throws CardDeclined {
        if (amount.signum() <= 0) {
            throw new CardDeclined("nothing to pay");
        }
        charges.put(payment, amount);
        return "AUTH-4711";
    }

    @Override
    public void refund(UUID payment) {
        charges.remove(payment);
    }
}
