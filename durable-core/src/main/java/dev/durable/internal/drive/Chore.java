package dev.durable.internal.drive;

import dev.durable.internal.upkeep.Upkeep;
import java.time.Duration;

/** One recurring maintenance step of a worker process, with a name, an interval and counts, run by {@link Upkeep}. */
public interface Chore extends Step {
    /** What it is called, in the list of upkeep and as the name of its thread. */
    String name();

    /** The longest that passes between two runs while all is well. */
    Duration interval();

    /** What it did. Written by the chore after each completed run, not when the database did not answer. */
    ChoreTally tally();
}
