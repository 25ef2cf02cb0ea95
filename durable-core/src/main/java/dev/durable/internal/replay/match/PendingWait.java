package dev.durable.internal.replay.match;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The wait of one coroutine of a run, as descriptions show it.
 *
 * @param coroutine {@code run}, {@code signal approve}, {@code async 3}, {@code undo}; {@code close} is the end of the run
 * @param what the awaited operation: {@code activity Payments.charge (2)}, {@code timer 1, due at …}, {@code a
 *     condition}
 * @param since the time of the event in whose turn it began
 * @param line {@code OrderWorkflow.run(OrderWorkflow.java:42)}; null where the stack has no line of the user's
 */
public record PendingWait(
        String coroutine,
        String what,
        Instant since,
        @Nullable String line) {}
