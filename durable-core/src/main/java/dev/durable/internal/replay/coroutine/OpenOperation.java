package dev.durable.internal.replay.coroutine;

import org.jspecify.annotations.Nullable;

/**
 * Work that a coroutine has started and that has not ended: an activity, a timer or another coroutine. It has links to
 * its neighbours in the {@link Scope} in which it was started, which alone changes them: that is cheaper than entries
 * of a hash set.
 */
public abstract class OpenOperation {
    @Nullable
    OpenOperation before;

    @Nullable
    OpenOperation after;

    boolean isListed;

    public abstract void cancel(String why);

    /**
     * Returns whether it was started in {@code detached}: then only its own promise cancels it, never the coroutine
     * that started it.
     */
    public abstract boolean shielded();

    /** Returns whether it was cancelled and stays open all the same until it has ended. */
    public boolean outlastsCancel() {
        return false;
    }

    /** Notes that code has got its outcome. */
    public void wasRead() {}

    /** Returns the name of a wait for its promise. */
    public String waitedFor() {
        return toString();
    }
}
