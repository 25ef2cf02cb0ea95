package dev.durable.observe;

import dev.durable.client.QueueDescription;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The waiting work of the whole installation, as one process has read it for all.
 *
 * @param at when, by the database's clock
 * @param queues all queues that hold something or have a setting
 * @param deadLetters jobs that wait for an operator, counted up to {@link #MOST}
 * @param incidents the same as incidents
 * @param stalledRuns open runs that can't go on for now, counted up to {@link #MOST}
 * @param outboxSince when the oldest message was written that waits in the outbox; null without one
 * @param refusedMessages messages in {@code outbox_refused}; some thousands are not counted further
 */
public record QueueSample(
        Instant at,
        List<QueueDescription> queues,
        long deadLetters,
        long incidents,
        long stalledRuns,
        @Nullable Instant outboxSince,
        long refusedMessages) {
    /** How far is counted. */
    public static final int MOST = 10_000;

    public QueueSample {
        queues = List.copyOf(queues);
    }
}
