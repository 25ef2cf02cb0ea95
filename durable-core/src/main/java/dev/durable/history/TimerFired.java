package dev.durable.history;

import java.time.Instant;

/**
 * A timer became due and was fed to the run.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 */
public record TimerFired(long id, Instant at, int seq) implements HistoryEvent.Inbound {}
