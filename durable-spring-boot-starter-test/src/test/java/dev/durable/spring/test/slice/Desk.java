package dev.durable.spring.test.slice;

import dev.durable.Activity;
import dev.durable.Retry;

@Activity(retry = @Retry(maxAttempts = 3))
interface Desk {
    String book(String trip);

    void cancel(String trip);
}
