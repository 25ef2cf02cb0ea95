package dev.durable.worker;

import dev.durable.store.Nudges;
import java.time.Duration;

/**
 * How long a loop that has nothing to do sleeps at most. Where hints of other processes arrive, looking is for what was
 * lost on the way only, and is done less often.
 *
 * @param polling while nothing is heard of others
 * @param nudges whether something is
 */
record IdleInterval(Duration polling, Nudges nudges) {
    /** Times rarer; with the default of one second, what a lost hint hides is found within five. */
    private static final int WHEN_HEARD = 5;

    Duration next() {
        return nudges.heard() ? polling.multipliedBy(WHEN_HEARD) : polling;
    }
}
