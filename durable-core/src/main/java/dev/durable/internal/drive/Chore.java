package dev.durable.internal.drive;

import dev.durable.internal.upkeep.Upkeep;
import java.time.Duration;

/** One recurring maintenance step of a worker process, with an interval and counts, run by {@link Upkeep}. */
public interface Chore extends Step {
    /** Returns the longest time between two runs while the database answers. */
    Duration interval();

    /**
     * Returns the counts of this chore. The chore writes them after each completed run, not when the database did not
     * answer.
     */
    ChoreTally tally();
}
