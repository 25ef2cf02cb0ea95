package dev.durable.history;

import java.time.Instant;

/**
 * An operator did something to an activity.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 * @param attempt the current or next attempt
 * @param action retry, pause, resume, complete or fail
 * @param by who
 */
public record ActivityOperated(long id, Instant at, int seq, int attempt, String action, String by)
        implements HistoryEvent.Informing {}
