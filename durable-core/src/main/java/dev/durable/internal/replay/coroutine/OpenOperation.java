package dev.durable.internal.replay.coroutine;

import org.jspecify.annotations.Nullable;

/**
 * Work that a coroutine has started and that has not ended: an activity, a timer or another coroutine. Knows its
 * neighbours in the {@link Scope} it was started in, which alone touches them: cheaper than entries of a hash set.
 */
public abstract class OpenOperation {
    @Nullable
    OpenOperation before;

    @Nullable
    OpenOperation after;

    boolean isListed;

    /** Cancels it at once. */
    public abstract void cancel(String why);

    /** Whether it was started in {@code detached}: then only its own promise cancels it, never what started it. */
    public abstract boolean shielded();

    /** Whether it was cancelled and stays open all the same until it has ended. */
    public boolean outlastsCancel() {
        return false;
    }

    /** What a wait for its promise is a wait for. */
    public String waitedFor() {
        return toString();
    }
}
