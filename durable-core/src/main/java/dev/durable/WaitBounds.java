package dev.durable;

import dev.durable.internal.text.Bounds;
import java.time.Duration;

/** Checks the durations that are given for timeouts and delays, and refuses those that make no sense. */
public final class WaitBounds {
    /** Longer than anything is waited for, and short enough for any time plus it to be a time of every store. */
    static final Duration LONGEST = Bounds.WAIT;

    private static final Duration SHORTEST = Duration.ofMillis(1);

    private WaitBounds() {}

    /**
     * Gives the wait, if it is one: stores count in milliseconds.
     *
     * @param what the method or option that was given the wait, for the error
     * @param why the consequence of a shorter wait, for the error
     */
    public static Duration real(String what, Duration wait, String why) {
        if (bounded(what, wait).compareTo(SHORTEST) < 0) {
            throw new IllegalArgumentException(what + " must be at least a millisecond, not " + wait + ": " + why);
        }
        return wait;
    }

    /** Gives the wait, if it is not negative. */
    public static Duration notNegative(String what, Duration wait) {
        if (wait.isNegative()) {
            throw new RefusedInputException(what + " must not be negative, not " + wait
                    + ". Usual cause: the time that it was computed from has passed; take zero for at once.");
        }
        return bounded(what, wait);
    }

    /** Gives the wait, if it ends within a hundred years. */
    public static Duration bounded(String what, Duration wait) {
        if (wait.compareTo(LONGEST) > 0) {
            throw new RefusedInputException(what + " must be at most a hundred years (" + LONGEST + "), not " + wait
                    + ": there is no time that far ahead. Usual cause: a number in another unit than was meant.");
        }
        return wait;
    }
}
