package dev.durable.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The result of a claim of runs, with the messages and histories that were read in the same round trip.
 *
 * @param runs the runs
 * @param messages what waits for them, by run id, each run's in order, at most {@link #MAX_MESSAGES} a run and a {@linkplain
 *     Portion portion} of all; runs without are not there
 * @param histories by run id the histories of those that the session did not have last and that are {@linkplain
 *     #SHORT_HISTORY short}, as many as make {@link #MAX_EVENTS}; whole, unless together they are more than
 *     a {@linkplain Portion portion}. The others have to be read
 * @param retryIn when to claim again though nobody says that a run is due: what was left, for a moment, to the session that
 *     has it cached is anybody's then, and that one may not look; zero when some were claimed and
 *     more may be due: as many as were asked for, or not all was looked at; null when nothing was left
 * @param nextDue the earliest wake to come of a run of these queues that was parked when this was asked; null when there is
 *     none. Runs that stalled are not counted, nor are messages looked at. For sleeping loops: what was due already
 *     and is not theirs tells them nothing
 */
public record ClaimedRuns(
        List<ClaimedRun> runs,
        Map<UUID, List<InboxMessage>> messages,
        Map<UUID, List<StoredEvent>> histories,
        @Nullable Duration retryIn,
        @Nullable Instant nextDue) {
    /** Messages that come with a run; it finds more when it has had them. */
    public static final int MAX_MESSAGES = 100;

    /** Events of a history that comes with its run. */
    public static final int SHORT_HISTORY = 100;

    /** Events that come with a claim: it holds locks until they are sent. */
    public static final int MAX_EVENTS = 2_000;

    public ClaimedRuns {
        runs = List.copyOf(runs);
        messages = Map.copyOf(messages);
        histories = Map.copyOf(histories);
    }

    /** Nothing was claimed. */
    public static ClaimedRuns none(@Nullable Duration retryIn, @Nullable Instant nextDue) {
        return new ClaimedRuns(List.of(), Map.of(), Map.of(), retryIn, nextDue);
    }
}
