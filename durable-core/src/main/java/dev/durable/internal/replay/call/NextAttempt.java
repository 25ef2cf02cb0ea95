package dev.durable.internal.replay.call;

import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The attempt that follows a failed run.
 *
 * @param runId its run id
 * @param delay how long it waits, from the close of the failed run on
 * @param maxAttempts the limit of attempts that this failure or an earlier one has set; null leaves the policy's
 */
public record NextAttempt(
        UUID runId, Duration delay, @Nullable Integer maxAttempts) {

    /** Returns this attempt as another run. */
    NextAttempt withRunId(UUID other) {
        return new NextAttempt(other, delay, maxAttempts);
    }
}
