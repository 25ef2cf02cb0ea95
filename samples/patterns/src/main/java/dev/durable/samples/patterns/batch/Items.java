package dev.durable.samples.patterns.batch;

import dev.durable.Activity;
import dev.durable.Retry;

/** What is done with each item. */
@Activity(startToClose = "30s", retry = @Retry(maxAttempts = 3))
public interface Items {
    void convert(int item);

    void publish(int item);
}
