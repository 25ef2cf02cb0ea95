package dev.durable.internal.drive;

import dev.durable.internal.upkeep.Upkeep;
import java.time.Duration;

/** One recurring maintenance step of a worker process, with an interval and counts, run by {@link Upkeep}. */
public interface Chore extends Step {
    /** The longest that passes between two runs while all is well. */
    Duration interval();

    /** What it did. Written by the chore after each completed run, not when the database did not answer. */
    ChoreTally tally();
}
