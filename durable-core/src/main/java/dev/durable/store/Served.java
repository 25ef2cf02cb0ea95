package dev.durable.store;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The task queues and activities that a worker process serves, and the build of the workflow code that it has.
 *
 * @param queues the task queues that it serves
 * @param activities names and aliases of the activities that it implements
 * @param build the name of its build; null where it names none
 */
public record Served(
        Set<String> queues,
        Set<String> activities,
        @Nullable String build) {
    /** What a process serves that names no build. */
    public Served(Set<String> queues, Set<String> activities) {
        this(queues, activities, null);
    }

    public Served {
        queues = Set.copyOf(queues);
        activities = Set.copyOf(activities);
    }
}
