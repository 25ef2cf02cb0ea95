package dev.durable.history;

import java.time.Instant;

/**
 * The code started a timer.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run, in order of the timers started
 * @param fireAt when it is due
 */
public record TimerStarted(long id, Instant at, int seq, Instant fireAt) implements HistoryEvent.Command {}
