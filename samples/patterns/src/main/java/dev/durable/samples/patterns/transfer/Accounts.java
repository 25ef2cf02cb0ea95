package dev.durable.samples.patterns.transfer;

import dev.durable.Activity;
import dev.durable.Retry;
import java.math.BigDecimal;

/** The banks. Each keeps the keys of what it has booked, and books nothing twice. */
@Activity(startToClose = "10s", retry = @Retry(doNotRetry = Refused.class))
public interface Accounts {
    void withdraw(String key, String account, BigDecimal amount) throws Refused;

    void deposit(String key, String account, BigDecimal amount) throws Refused;
}
