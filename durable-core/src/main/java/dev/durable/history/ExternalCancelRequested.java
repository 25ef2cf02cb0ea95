package dev.durable.history;

import java.time.Instant;

/**
 * The code asked another workflow to cancel, by {@code Durable.external(…).cancel(…)}. The request is written with the
 * transition that records this event, and is delivered after its commit; no event tells of the delivery.
 *
 * @param id its place in the history
 * @param at when
 * @param number its number among the messages that this run has sent to workflows, from 1
 * @param workflowId the workflow id of the target
 * @param reason why
 */
public record ExternalCancelRequested(long id, Instant at, long number, String workflowId, String reason)
        implements HistoryEvent.Command {}
