package dev.durable.history;

import java.time.Instant;

/**
 * The run was resumed after a pause.
 *
 * @param id its place in the history
 * @param at when
 * @param by the name of the client, operator or user that asked for it
 */
public record WorkflowResumed(long id, Instant at, String by) implements HistoryEvent.Informing {}
