package dev.durable.micrometer;

import dev.durable.client.EngineNames;
import java.util.HashSet;
import java.util.Set;

/**
 * The names that observations of one engine may have as tags of timers, of a bounded number of each kind. So many names of one
 * kind, such as signals and updates, which callers choose, take no place from those of another.
 */
final class TracedNames {
    private final BoundedMeters<String> types;
    private final BoundedMeters<String> activities;
    private final BoundedMeters<String> signals;
    private final BoundedMeters<String> updates;
    private final BoundedMeters<String> queues;
    private final BoundedMeters<String> errors = new BoundedMeters<>(name -> name);

    TracedNames(EngineNames known) {
        // What a client starts is a workflow, an activity, or the activities of a batch: by their type.
        Set<String> started = new HashSet<>(known.workflowTypes());
        known.activities().forEach(activity -> {
            started.add(activity);
            started.add(activity.substring(0, Math.max(0, activity.lastIndexOf('.'))));
        });
        types = of(started);
        activities = of(known.activities());
        signals = of(known.signals());
        updates = of(known.updates());
        queues = of(known.taskQueues());
    }

    private static BoundedMeters<String> of(Set<String> known) {
        return new BoundedMeters<String>(name -> name).know(known);
    }

    String type(String name) {
        return types.of(name);
    }

    String queue(String name) {
        return queues.of(name);
    }

    /** The class of an exception. */
    String error(String name) {
        return errors.of(name);
    }

    /** An activity, the type of a child, a signal, an update or an event: of events there is a bounded number by itself. */
    String subject(DurableObservation kind, String name) {
        return switch (kind) {
            case START, TURN -> name;
            case SIGNAL -> signals.of(name);
            case UPDATE -> updates.of(name);
            case SCHEDULE, ACTIVITY -> activities.of(name);
            case CHILD -> types.of(name);
        };
    }
}
