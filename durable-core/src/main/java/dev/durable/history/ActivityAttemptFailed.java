package dev.durable.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An attempt failed and another follows, or followed.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 * @param attempt the attempt, from 1
 * @param reason failed, timed out or worker lost
 * @param failure what it threw
 * @param nextAttemptAt when the next one may start
 * @param omitted attempts before this one that are not listed
 */
public record ActivityAttemptFailed(
        long id,
        Instant at,
        int seq,
        int attempt,
        String reason,
        @Nullable Failure failure,
        @Nullable Instant nextAttemptAt,
        int omitted)
        implements HistoryEvent.Informing {}
