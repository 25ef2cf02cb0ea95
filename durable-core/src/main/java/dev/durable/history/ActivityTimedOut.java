package dev.durable.history;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An activity ran out of a timeout for good.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run
 * @param attempt the last attempt
 * @param messageId the lease token of that attempt
 * @param timeout which one
 * @param lastHeartbeatDetails the last accepted details
 */
public record ActivityTimedOut(
        long id,
        Instant at,
        int seq,
        int attempt,
        UUID messageId,
        TimeoutType timeout,
        @Nullable Payload lastHeartbeatDetails)
        implements HistoryEvent.Inbound {}
