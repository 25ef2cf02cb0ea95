package dev.durable.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The code started a timer.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run, in order of the timers started
 * @param fireAt when it is due
 * @param summary one line for people about it; null without
 */
public record TimerStarted(
        long id,
        Instant at,
        int seq,
        Instant fireAt,
        @Nullable String summary) implements HistoryEvent.Command {
    /** A timer without a summary. */
    public TimerStarted(long id, Instant at, int seq, Instant fireAt) {
        this(id, at, seq, fireAt, null);
    }

    /** Without the summary, which may name persons, as this is logged. */
    @Override
    public String toString() {
        return "TimerStarted[id=" + id + ", at=" + at + ", seq=" + seq + ", fireAt=" + fireAt + "]";
    }
}
