package dev.durable.history;

import java.time.Instant;

/**
 * The deadline of an attempt was moved. Of an activity that waits they are those of its next attempt, if it begins when it
 * is due.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 * @param attempt the attempt
 * @param oldDeadline the deadline before
 * @param newDeadline the deadline from then on
 * @param by the name of the client, operator or user that asked for it
 */
public record ActivityTimeoutUpdated(
        long id, Instant at, int seq, int attempt, Instant oldDeadline, Instant newDeadline, String by)
        implements HistoryEvent.Informing {}
