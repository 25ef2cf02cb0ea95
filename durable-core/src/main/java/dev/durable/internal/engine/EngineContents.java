package dev.durable.internal.engine;

import dev.durable.internal.declare.ActivityBinding;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.drive.QueueSettings;
import dev.durable.internal.replay.BackgroundJob;
import java.util.Collection;
import java.util.Map;
import java.util.Set;

/**
 * What is registered with an engine, for containers that tell it to people. Immutable.
 *
 * @param identity how the process is named
 * @param worker whether it works, or is a client only
 * @param queues the task queues that it serves
 * @param workflows those of the application, each once
 * @param activities those that are implemented here, each once
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
