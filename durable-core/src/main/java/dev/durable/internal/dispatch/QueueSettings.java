package dev.durable.internal.dispatch;

import org.jspecify.annotations.Nullable;

/**
 * How a task queue is served.
 *
 * @param slots activities at once
 * @param virtualThreads whether activity bodies run on virtual threads
 * @param pool shares its slots with the other queues of this pool; null has slots of its own
 * @param weight its part of what the pool claims, in proportion to the others
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
