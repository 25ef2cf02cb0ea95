package dev.durable.internal.run;

/**
 * The bytes of memory that a run takes, as the cache of runs weighs them. While the run waits for local activities, the
 * cache can't drop it: it weighs nothing there, and its bytes are counted as pinned.
 */
final class RunWeight {
    private final HeldRun holding;
    private final RunServices host;

    private int weighed;
    private volatile int pinned;

    RunWeight(HeldRun holding, RunServices host) {
        this.holding = holding;
        this.host = host;
    }

    /** Returns the rough bytes that the run keeps in memory. */
    int weigh() {
        weighed = holding.weight();
        return weighed;
    }

    /**
     * Returns whether the cache should weigh it anew: it has grown by an eighth, shrunk by half, or begun or ended to
     * wait for local activities.
     */
    boolean hasChanged() {
        int now = holding.weight();
        return now > weighed + weighed / 8 || now < weighed / 2;
    }

    /** Returns whether the cache can't drop the run, as it waits for local activities. */
    boolean isPinned() {
        return pinned > 0;
    }

    /** Reports the bytes that the cache can't drop. Called by the actor's thread only. */
    void tellPinned() {
        int now = holding.isBusyHere() ? holding.bytes() : 0;
        if (now != pinned) {
            host.outside().pinned((long) now - pinned);
            pinned = now;
        }
    }
}
