package dev.durable.history;

import java.time.Instant;

/**
 * The run method threw.
 *
 * @param id its place in the history
 * @param at when
 * @param failure what it threw
 */
public record WorkflowFailed(long id, Instant at, Failure failure) implements HistoryEvent.Closing {}
