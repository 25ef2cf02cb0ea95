package dev.durable.internal.drive;

import dev.durable.store.Nudges;
import java.time.Duration;

/**
 * Computes the longest time for which a loop may sleep between two polls: the poll interval, or five of them where
 * nudges of other processes are heard. Where nudges of other processes arrive, polling is for what was lost on the way
 * only, and is done less often.
 *
 * @param polling while nothing is heard of others
 * @param nudges whether something is
 */
public record IdleInterval(Duration polling, Nudges nudges) {
    /**
     * The factor of the interval where nudges are heard; with the default of one second, work whose nudge was lost is
     * found within five.
     */
    private static final int WHEN_HEARD = 5;

    public Duration next() {
        return nudges.heard() ? Jitter.bounded(polling.multipliedBy(WHEN_HEARD)) : polling;
    }
}
