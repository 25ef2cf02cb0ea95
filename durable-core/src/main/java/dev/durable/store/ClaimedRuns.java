package dev.durable.store;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a claim of runs gave.
 *
 * @param runs the runs
 * @param retryIn when anybody may claim what was left, for a moment, to the session that has it cached: if that one is
 *     gone, nobody else will ever be told; null when nothing was left
 */
public record ClaimedRuns(List<ClaimedRun> runs, @Nullable Duration retryIn) {

    public ClaimedRuns {
        runs = List.copyOf(runs);
    }
}
