package dev.durable.history;

import java.time.Instant;
import java.util.UUID;

/**
 * An activity failed for good.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 * @param attempt the last attempt
 * @param messageId the lease token of that attempt
 * @param failure what it threw
 * @param worker identity of the worker that ran it
 */
public record ActivityFailed(long id, Instant at, int seq, int attempt, UUID messageId, Failure failure, String worker)
        implements HistoryEvent.Inbound {}
