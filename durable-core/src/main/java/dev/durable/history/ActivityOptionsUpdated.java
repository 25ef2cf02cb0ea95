package dev.durable.history;

import dev.durable.ActivityOptions;
import java.time.Instant;

/**
 * The options of an activity were changed; they hold from the next decision on.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 * @param attempt the current or next attempt
 * @param oldOptions those before
 * @param newOptions those from then on
 * @param by the name of the client, operator or user that asked for it
 */
public record ActivityOptionsUpdated(
        long id, Instant at, int seq, int attempt, ActivityOptions oldOptions, ActivityOptions newOptions, String by)
        implements HistoryEvent.Informing {}
