package dev.durable.internal.drive;

import java.time.Duration;

/** The body of a loop: does what is due now and returns how long it has nothing to do. */
@FunctionalInterface
public interface Step {
    /** There is more to do now: call again at once. */
    Duration AGAIN = Duration.ZERO;

    /** Nothing to do until somebody wakes the loop. */
    Duration UNTIL_WOKEN = Duration.ofDays(365);

    /**
     * Does what is due. Throws {@link dev.durable.StoreUnavailableException} and {@link
     * dev.durable.store.CommitUnknownException} where the store does not answer, in a state from which the next call goes
     * on: when that comes, the engine decides. For what else a later try can mend it tells a delay instead.
     *
     * @return how long the loop may sleep before the next call, unless it is woken
     */
    Duration runOnce() throws InterruptedException;

    /** The longest pause between two calls while the store does not answer. */
    default Duration patience() {
        return Duration.ofSeconds(5);
    }
}
