package dev.durable.history;

import java.time.Instant;

/**
 * The run method returned.
 *
 * @param id its place in the history
 * @param at when
 * @param result what it returned
 */
public record WorkflowCompleted(long id, Instant at, Payload result) implements HistoryEvent.Closing {}
