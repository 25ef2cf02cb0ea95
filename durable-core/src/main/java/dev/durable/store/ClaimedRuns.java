package dev.durable.store;

import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.internal.text.Portion;
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
 * @param messages the messages that wait for them, by run id, each run's in order, at most {@link #MAX_MESSAGES} a run
 *     and a {@linkplain Portion portion} of all; runs without are not there
 * @param histories by run id the histories of those runs that were last claimed by another session and that are
 *     {@linkplain #SHORT_HISTORY short}, as many as make {@link #MAX_EVENTS}; whole, unless together they are more than
 *     a {@linkplain Portion portion}. The other histories have to be read
 * @param retryIn when to claim again without a nudge. A due run is left for a moment to the session that has it cached;
 *     after this time any session may claim it, in case that session does not. Zero when some were claimed and more may
 *     be due: as many as were asked for, or not all were looked at; null when nothing was left
 * @param nextDue the earliest wake to come of a run of these queues that was parked when this was asked; null when
 *     there is none. Runs that stalled are not counted, nor are messages looked at. It is for loops that sleep: a run
 *     that is due already, and that they may not claim, gives them no time to wake at
 */
public record ClaimedRuns(
        List<ClaimedRun> runs,
        Map<UUID, List<InboxMessage>> messages,
        Map<UUID, List<StoredEvent>> histories,
        @Nullable Duration retryIn,
        @Nullable Instant nextDue) {
    /** The greatest number of messages that come with a run; the caller reads further ones when it has fed these. */
    public static final int MAX_MESSAGES = 100;

    /** The greatest number of events of a history that comes with its run. */
    public static final int SHORT_HISTORY = 100;

    /** The greatest number of events that come with a claim, as a claim holds locks until they are sent. */
    public static final int MAX_EVENTS = 2_000;

    public ClaimedRuns {
        runs = List.copyOf(runs);
        messages = Map.copyOf(messages);
        histories = Map.copyOf(histories);
    }

    /** The result of a claim that found nothing. */
    public static ClaimedRuns none(@Nullable Duration retryIn, @Nullable Instant nextDue) {
        return new ClaimedRuns(List.of(), Map.of(), Map.of(), retryIn, nextDue);
    }
}
