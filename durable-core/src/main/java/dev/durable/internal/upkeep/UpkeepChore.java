package dev.durable.internal.upkeep;

/**
 * The list of all chores of upkeep: each worker keeps one of each, in this order, and {@code engine.upkeep()} shows them.
 * The table in docs/workers.md has the same rows, which a test compares.
 */
public enum UpkeepChore {
    /** The beat by which others see that this process lives. */
    SESSION("session", "lease / 3"),
    /** Compares the jobs under this session with what the process knows. */
    LEASES("leases", "lease / 10"),
    /** Stops local activities of runs that were terminated or timed out. */
    ENDED_RUNS("ended-runs", "seconds"),
    /** Finds dead sessions and puts their jobs back into their queues. */
    SWEEP("sweep", "a third of the shortest lease of any process, at most 10 s"),
    /** Makes the partitions of the history ahead of time. */
    PARTITIONS("partitions", "1 h"),
    /** Ends activities and runs whose timeouts pass and no worker watches. */
    TIMEOUTS("timeouts", "3 × `pollInterval`"),
    /** Ends dead letters that were kept too long or are too many. */
    DEAD_LETTERS("dead-letters", "10 min"),
    /** Deletes answers to updates that were kept for a day. */
    REPLIES("replies", "10 min"),
    /** Tells the application's listener of new dead letters and incidents; only where it has one. */
    ALERTS("alerts", "10 s, at once after a nudge; only with `onAlert`"),
    /** Delivers the outbox. */
    RELAY("relay", "`pollInterval`; 5 × where nudges arrive"),
    /** Counts the waiting jobs of all queues for an observer, in one process for all; only where one wants it. */
    QUEUE_SAMPLES("queue-samples", "15 s; only with an observer that wants them, such as [metrics](metrics.md)");

    private final String shown;
    private final String every;

    UpkeepChore(String shown, String every) {
        this.shown = shown;
        this.every = every;
    }

    /** Returns the name in {@code engine.upkeep()}, in the name of its thread, and in docs/workers.md. */
    public String shown() {
        return shown;
    }

    /** Returns the interval in the words of docs/workers.md. */
    public String every() {
        return every;
    }
}
