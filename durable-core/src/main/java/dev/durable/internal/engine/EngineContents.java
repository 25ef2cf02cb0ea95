package dev.durable.internal.engine;

import dev.durable.internal.declare.ActivityBinding;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.dispatch.QueueSettings;
import dev.durable.internal.replay.BackgroundJob;
import java.util.Collection;
import java.util.Map;
import java.util.Set;

/**
 * The registrations of an engine, for containers that show them. Immutable.
 *
 * @param identity the name of the process
 * @param worker whether it works rather than being a client only
 * @param queues the task queues that it serves
 * @param workflows the application's workflows, each once
 * @param activities the activities that are implemented here, each once
 */
public record EngineContents(
        String identity,
        boolean worker,
        Map<String, QueueSettings> queues,
        Collection<WorkflowType> workflows,
        Collection<ActivityBinding> activities) {

    public EngineContents {
        queues = worker ? Map.copyOf(queues) : Map.of();
        workflows = workflows.stream()
                .filter(workflow -> !workflow.implementation().equals(BackgroundJob.class))
                .toList();
        activities = Set.copyOf(activities);
    }
}
