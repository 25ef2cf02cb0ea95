package dev.durable.history;

import java.time.Instant;
import java.util.UUID;

/**
 * An activity has its result.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 * @param attempt the attempt that completed
 * @param messageId the lease token of that attempt
 * @param result what it returned
 * @param startedAt when that attempt started
 * @param worker identity of the worker that ran it
 */
public record ActivityCompleted(
        long id, Instant at, int seq, int attempt, UUID messageId, Payload result, Instant startedAt, String worker)
        implements HistoryEvent.Inbound {}
