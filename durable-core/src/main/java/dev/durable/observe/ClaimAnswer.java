package dev.durable.observe;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one claim.
 *
 * @param what what was asked for
 * @param taskQueue the queue of a claim of jobs; null for a claim of runs, which asks for all queues at once
 * @param wanted how many at most
 * @param found how many it brought
 * @param took the transaction, with waiting for a connection
 */
public record ClaimAnswer(What what, @Nullable String taskQueue, int wanted, int found, Duration took) {

    /** The kinds of claims. */
    public enum What {
        RUNS,
        JOBS
    }

    /** How much a claim brought. */
    public enum Fill {
        EMPTY,
        PARTIAL,
        FULL
    }

    /** How much it brought of what it wanted. */
    public Fill fill() {
        return found == 0 ? Fill.EMPTY : found < wanted ? Fill.PARTIAL : Fill.FULL;
    }
}
