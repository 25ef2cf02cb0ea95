package dev.durable.store;

import java.util.Set;

/**
 * The task queues and activities that a worker process serves.
 *
 * @param queues the task queues that it serves
 * @param activities names and aliases of the activities that it implements
 */
public record Served(Set<String> queues, Set<String> activities) {
    public Served {
        queues = Set.copyOf(queues);
        activities = Set.copyOf(activities);
    }
}
