package dev.durable.history;

import java.time.Instant;

/**
 * The code cancelled an activity; its promise is cancelled now, its outcome is still recorded.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 */
public record ActivityCancelRequested(long id, Instant at, int seq) implements HistoryEvent.Command {}
