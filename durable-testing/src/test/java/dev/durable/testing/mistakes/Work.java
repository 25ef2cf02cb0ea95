package dev.durable.testing.mistakes;

import dev.durable.Activity;

/** Activities for workflows that misuse them. */
@Activity(retry = @dev.durable.Retry(maxAttempts = 1))
interface Work {
    String run(String what);

    int count(int upTo);

    void nothing();
}
