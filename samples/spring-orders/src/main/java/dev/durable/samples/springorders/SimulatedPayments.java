package dev.durable.samples.springorders;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/** Stands for the client of a payment provider. The card of the customer "broke" is declined. */
@Service
class SimulatedPayments implements Payments {
    private static final Logger log = LoggerFactory.getLogger(SimulatedPayments.class);

    @Override
    public String charge(UUID payment, String customer, BigDecimal amount) throws CardDeclined {
        if (customer.equals("broke")) {
            throw new CardDeclined("no funds");
        }
        return "AUTH-" + payment.toString().substring(0, 8).toUpperCase(Locale.ROOT);
    }

    @Override
    public void refund(UUID payment) {
        log.info("refunded {}", payment);
    }
}
