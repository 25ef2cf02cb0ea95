package dev.durable.history;

import java.time.Instant;

/**
 * The answer of {@code Durable.version} for a change id was recorded.
 *
 * @param id its place in the history
 * @param at when
 * @param changeId the change
 * @param version the answer, for the rest of the run
 */
public record VersionRecorded(long id, Instant at, String changeId, int version) implements HistoryEvent.Command {}
