package dev.durable.history;

import java.time.Instant;

/**
 * The code cancelled a timer, or the wait it belonged to ended before it fired.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 */
public record TimerCancelled(long id, Instant at, int seq) implements HistoryEvent.Command {}
