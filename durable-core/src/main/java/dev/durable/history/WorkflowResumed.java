package dev.durable.history;

import java.time.Instant;

/**
 * The run was resumed after a pause.
 *
 * @param id its place in the history
 * @param at when
 * @param by who
 */
public record WorkflowResumed(long id, Instant at, String by) implements HistoryEvent.Informing {}
