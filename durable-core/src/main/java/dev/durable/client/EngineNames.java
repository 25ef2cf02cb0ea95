package dev.durable.client;

import java.util.Set;

/**
 * The names under which an engine works, as it was built: where its tables are, and what it registers and serves. Callers
 * may use other names, in any number; these are few and known.
 *
 * @param schema the database schema of its tables; empty of a store that has none, in memory
 * @param workflowTypes the workflow types registered, with their aliases
 * @param activities the activities that the types registered declare, with their aliases
 * @param signals the signals of these workflow types
 * @param updates the updates of these workflow types
 * @param taskQueues the task queues that it serves, and those that its workflow types name
 */
public record EngineNames(
        String schema,
        Set<String> workflowTypes,
        Set<String> activities,
        Set<String> signals,
        Set<String> updates,
        Set<String> taskQueues) {

    public EngineNames {
        workflowTypes = Set.copyOf(workflowTypes);
        activities = Set.copyOf(activities);
        signals = Set.copyOf(signals);
        updates = Set.copyOf(updates);
        taskQueues = Set.copyOf(taskQueues);
    }
}
