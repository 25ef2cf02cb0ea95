package dev.durable.store;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The task queues, activities and workflow types that a worker process serves, and the build of the workflow code that it
 * has.
 *
 * @param queues the task queues that it serves
 * @param activities names and aliases of the activities that it implements
 * @param workflowTypes names and aliases of the workflow types that it has; null where it takes runs of any type, or does
 *     not say
 * @param build the name of its build; null where it names none
 */
public record Served(
        Set<String> queues,
        Set<String> activities,
        @Nullable Set<String> workflowTypes,
        @Nullable String build) {
    /** The task queues and activities of a process that names no build and takes runs of any type. */
    public Served(Set<String> queues, Set<String> activities) {
        this(queues, activities, null, null);
    }

    public Served {
        queues = Set.copyOf(queues);
        activities = Set.copyOf(activities);
        workflowTypes = workflowTypes == null ? null : Set.copyOf(workflowTypes);
    }

    /** Returns whether it takes runs of this type. */
    public boolean hasType(String workflowType) {
        return workflowTypes == null || workflowTypes.contains(workflowType);
    }
}
