package dev.durable.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An operator, or the end of its retention, said what becomes of an incident or dead letter.
 *
 * <p>{@code ActivityScheduled} keeps the arguments that the workflow's code gave, which is what a replay compares; those
 * that an operator gave stand here only, and are what the attempts from then on run with.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 * @param resolution retried, retried with other arguments, completed, failed, discarded or purged
 * @param by the name of the client, operator or user that asked for it
 * @param reason in that person's words; may be empty
 * @param attempts how many more it was given; null where the policy sets no limit, and where it ended
 * @param input the other arguments, a JSON array; null where it keeps those it had
 */
public record IncidentResolved(
        long id,
        Instant at,
        int seq,
        String resolution,
        String by,
        String reason,
        @Nullable Integer attempts,
        @Nullable Payload input)
        implements HistoryEvent.Informing {

    /** One that ended, or that was tried again as it was. */
    public IncidentResolved(long id, Instant at, int seq, String resolution, String by, String reason) {
        this(id, at, seq, resolution, by, reason, null, null);
    }

    /** Copies the event without the arguments, which belong to the run and go with it. */
    public IncidentResolved withoutInput() {
        return new IncidentResolved(id, at, seq, resolution, by, reason, attempts, null);
    }
}
