package dev.durable.internal.engine;

import dev.durable.client.DurableEngine;
import dev.durable.internal.dispatch.QueueSettings;
import dev.durable.internal.text.Bounds;
import java.util.LinkedHashMap;
import java.util.Map;

/** Collects the queues of a pool. */
final class PoolOptionsBuilder implements DurableEngine.PoolOptions {
    private final String name;
    private final Map<String, Integer> weights = new LinkedHashMap<>();
    private int slots = QueueSettings.DEFAULT.slots();
    private boolean virtualThreads;

    PoolOptionsBuilder(String name) {
        this.name = name;
    }

    @Override
    public DurableEngine.PoolOptions slots(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("pool " + name + ": slots must be at least 1, not " + most);
        }
        slots = most;
        return this;
    }

    @Override
    public DurableEngine.PoolOptions virtualThreads(boolean virtual) {
        virtualThreads = virtual;
        return this;
    }

    @Override
    public DurableEngine.PoolOptions queue(String taskQueue, int weight) {
        if (taskQueue.isBlank() || weight < 1) {
            throw new IllegalArgumentException(
                    "pool " + name + ": a queue needs a name and a weight of at least 1, not \"" + taskQueue + "\" and "
                            + weight + ". A queue that is not to be served is left out.");
        }
        Bounds.name("pool " + name + ": task queue", taskQueue);
        if (weights.putIfAbsent(taskQueue, weight) != null) {
            throw twice(taskQueue, name);
        }
        return this;
    }

    /** Returns the settings of the queues of the pool. */
    Map<String, QueueSettings> queues() {
        if (weights.isEmpty()) {
            throw new IllegalArgumentException("pool " + name
                    + " has no queue: name those that share its slots, p -> p.slots(50).queue(\"mail\", 3)");
        }
        Map<String, QueueSettings> queues = new LinkedHashMap<>();
        weights.forEach((queue, weight) -> queues.put(queue, new QueueSettings(slots, virtualThreads, name, weight)));
        return queues;
    }

    static IllegalArgumentException twice(String taskQueue, String pool) {
        return new IllegalArgumentException("task queue " + taskQueue + " is in pool " + pool
                + " and served a second time. One process serves a queue once: by queue(…), or in one pool.");
    }
}
