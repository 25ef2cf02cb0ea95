package dev.durable.history;

import java.time.Instant;

/**
 * The run ended by the cancellation it was asked for.
 *
 * @param id its place in the history
 * @param at when
 * @param reason why
 */
public record WorkflowCancelled(long id, Instant at, String reason) implements HistoryEvent.Closing {}
