package dev.durable.internal.dispatch;

import org.jspecify.annotations.Nullable;

/**
 * The settings with which a task queue is served.
 *
 * @param slots the most activities at once
 * @param virtualThreads whether activity bodies run on virtual threads
 * @param pool the pool with whose other queues it shares slots; null for slots of its own
 * @param weight its part of the pool's claims, in proportion to the other queues
 */
public record QueueSettings(
        int slots, boolean virtualThreads, @Nullable String pool, int weight) {
    public static final QueueSettings DEFAULT = new QueueSettings(50, false, null, 1);

    public QueueSettings withSlots(int value) {
        return new QueueSettings(value, virtualThreads, pool, weight);
    }

    public QueueSettings withVirtualThreads(boolean value) {
        return new QueueSettings(slots, value, pool, weight);
    }
}
