package dev.durable.internal.drive;

import dev.durable.store.Nudges;
import java.time.Duration;

/**
 * Computes the longest time for which a loop may sleep between two polls: the poll interval, or five of them where
 * nudges of other processes arrive, as polls then only have to find work whose nudge was lost.
 *
 * @param polling the interval while no nudges of other processes arrive
 * @param nudges tells whether they do
 */
public record IdleInterval(Duration polling, Nudges nudges) {
    /**
     * The factor of the interval while nudges arrive; with the default of one second, work whose nudge was lost is
     * found within five.
     */
    private static final int WHEN_HEARD = 5;

    public Duration next() {
        return nudges.heard() ? Jitter.bounded(polling.multipliedBy(WHEN_HEARD)) : polling;
    }
}
