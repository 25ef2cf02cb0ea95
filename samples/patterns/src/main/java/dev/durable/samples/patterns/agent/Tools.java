package dev.durable.samples.patterns.agent;

import dev.durable.Activity;
import dev.durable.Retry;

/** The tools that the model may use. */
@Activity(startToClose = "1m", retry = @Retry(maxAttempts = 3))
public interface Tools {
    String call(String tool, String input);
}
