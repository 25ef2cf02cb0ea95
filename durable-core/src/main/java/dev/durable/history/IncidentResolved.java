package dev.durable.history;

import java.time.Instant;

/**
 * An operator, or the end of its retention, said what becomes of an incident or dead letter.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 * @param resolution retried, completed, failed, discarded or purged
 * @param by who
 * @param reason in that person's words; may be empty
 */
public record IncidentResolved(long id, Instant at, int seq, String resolution, String by, String reason)
        implements HistoryEvent.Informing {}
