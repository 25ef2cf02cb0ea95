package dev.durable.store;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a claim of runs gave.
 *
 * @param runs the runs
 * @param retryIn when to claim again though nobody says that a run is due: what was left, for a moment, to the session that
 *     has it cached is anybody's then, and that one may be gone; zero when some were claimed and
 *     more may be due: as many as were asked for, or not all was looked at; null when nothing was left
 */
public record ClaimedRuns(List<ClaimedRun> runs, @Nullable Duration retryIn) {

    public ClaimedRuns {
        runs = List.copyOf(runs);
    }
}
