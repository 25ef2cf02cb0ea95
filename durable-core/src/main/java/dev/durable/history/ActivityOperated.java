package dev.durable.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An operator changed an activity: paused, retried, rescheduled, completed or the like.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 * @param attempt the current or next attempt
 * @param action retry, runNow, reschedule, pause, resume, complete or fail
 * @param by the name of the client, operator or user that asked for it
 * @param nextAttemptAt when its next attempt is due, where it was rescheduled
 */
public record ActivityOperated(
        long id,
        Instant at,
        int seq,
        int attempt,
        String action,
        String by,
        @Nullable Instant nextAttemptAt) implements HistoryEvent.Informing {

    /** One that sets no time. */
    public ActivityOperated(long id, Instant at, int seq, int attempt, String action, String by) {
        this(id, at, seq, attempt, action, by, null);
    }
}
