package dev.durable.spring.app;

import dev.durable.Activity;
import dev.durable.OnExhausted;
import dev.durable.Retry;

/** Books into the application's own tables. */
@Activity(
        transactional = true,
        retry = @Retry(initialInterval = "1ms", maxAttempts = 3, onExhausted = OnExhausted.FAIL))
public interface Ledger {
    int book(String account, int failures);
}
