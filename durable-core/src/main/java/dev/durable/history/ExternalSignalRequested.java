package dev.durable.history;

import java.time.Instant;

/**
 * The code sent a signal to another workflow, by {@code Durable.external(…).signal(…)}. The message is written with the
 * transition that records this event, and is delivered after its commit; no event tells of the delivery.
 *
 * @param id its place in the history
 * @param at when
 * @param number its number among the messages that this run has sent to workflows, from 1
 * @param workflowId the workflow id of the target
 * @param signal the name of the signal
 * @param input its arguments, a JSON array
 */
public record ExternalSignalRequested(long id, Instant at, long number, String workflowId, String signal, Payload input)
        implements HistoryEvent.Command {}
