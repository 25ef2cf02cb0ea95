package dev.durable.internal.replay.call;

import dev.durable.RetryPolicy;
import java.time.Duration;
import java.util.UUID;

/**
 * The attempt that follows a failed run.
 *
 * @param runId its run id
 * @param delay how long it waits, from the close of the failed run on
 * @param retry its policy, with the limit of attempts that the failure has set
 */
public record NextAttempt(UUID runId, Duration delay, RetryPolicy retry) {}
