package dev.durable.history;

import java.time.Instant;

/**
 * The code, or the cancellation of its coroutine, asked a child to cancel; or the end of the run applied the child's
 * parent-close policy before the compensations.
 *
 * @param id its place in the history
 * @param at when
 * @param number the number of the child
 * @param message the number of the request among the messages that the chain has sent to workflows
 * @param reason why
 * @param terminate whether the child is terminated instead, without running its code
 */
public record ChildCancelRequested(long id, Instant at, long number, long message, String reason, boolean terminate)
        implements HistoryEvent.Command {}
