package dev.durable.internal.drive;

import java.time.Duration;

/** The body of a loop: does the work that is due and returns for how long there is none. */
@FunctionalInterface
public interface Step {
    /** The result of a step that has more to do now: it is called again at once. */
    Duration AGAIN = Duration.ZERO;

    /** The result of a step that has nothing to do until its loop is woken. */
    Duration UNTIL_WOKEN = Duration.ofDays(365);

    /**
     * Does the work that is due. Throws {@link dev.durable.StoreUnavailableException} and {@link
     * dev.durable.store.CommitUnknownException} where the store does not answer, in a state from which the next call
     * goes on: the engine decides when that comes. After any other error that a later try can mend, it returns a delay
     * instead.
     *
     * @return how long the loop may sleep before the next call, unless it is woken
     */
    Duration runOnce() throws InterruptedException;

    /** Returns the longest pause between two calls while the store does not answer. */
    default Duration patience() {
        return Duration.ofSeconds(5);
    }
}
