package dev.durable.observe;

import java.time.Duration;

/**
 * One transaction of a group-commit lane.
 *
 * @param lane which writes
 * @param size how many items it has
 * @param took the transaction, with waiting for a connection
 * @param failed whether it ended without an answer or was refused; it is sent again, or one by one
 */
public record BatchWrite(Lane lane, int size, Duration took, boolean failed) {

    /** The kinds of writes that are committed in groups. */
    public enum Lane {
        STARTS,
        MESSAGES,
        JOBS,
        TRANSITIONS
    }
}
