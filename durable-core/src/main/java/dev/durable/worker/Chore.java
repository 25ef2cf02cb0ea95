package dev.durable.worker;

import java.time.Duration;

/** A step of {@link Upkeep}: one mechanism that a process cranks on its own for the good of all. */
interface Chore extends Step {
    /** What it is called, in the list of upkeep and as the name of its thread. */
    String name();

    /** The longest that passes between two runs while all is well. */
    Duration interval();

    /** What it did; written by the chore whenever it did what it is for, and not when the database was away. */
    Tally tally();
}
