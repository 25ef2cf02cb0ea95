package dev.durable.history;

import java.time.Instant;

/**
 * The code of the run began to run, later than the run was started: after its start delay, or when a worker was there for
 * it. The time of the first turn is this event's; that of {@link WorkflowStarted} is the time of the call of start. Missing
 * where the code began to run with the start, or within a second of it: then both are one.
 *
 * @param id its place in the history
 * @param at when
 */
public record FirstTurnStarted(long id, Instant at) implements HistoryEvent.Informing {}
