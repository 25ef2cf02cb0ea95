package dev.durable.samples.patterns.fanout;

import dev.durable.Activity;
import dev.durable.Retry;

/** Sends the newsletter. */
@Activity(startToClose = "10s", retry = @Retry(maxAttempts = 3))
public interface Newsletters {
    /** Returns the id of the message. */
    String send(String recipient);
}
