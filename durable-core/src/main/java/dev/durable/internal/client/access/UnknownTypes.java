package dev.durable.internal.client.access;

import dev.durable.internal.declare.Registry;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.replay.BackgroundJob;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses, or logs, starts of workflow types that this engine does not register. Where its own worker serves the type's
 * task queue, whose workers are expected to register all of its types, the start is refused: usually the name is
 * misspelt, and the run would wait for ever. For other queues other processes may know the type, so a start by name is
 * only logged, once per type.
 */
public final class UnknownTypes {
    private static final Logger log = LoggerFactory.getLogger(UnknownTypes.class);

    /** The most types that are logged, as names may come from outside. */
    private static final int REMEMBERED = 1_000;

    private final Registry registry;
    private final Set<String> served;
    private final Set<String> said = ConcurrentHashMap.newKeySet();

    /**
     * @param registry the types that this engine registers
     * @param served the task queues that its worker serves; none in a process without workers
     */
    public UnknownTypes(Registry registry, Set<String> served) {
        this.registry = registry;
        this.served = served;
    }

    public Set<String> served() {
        return served;
    }

    /**
     * Checks the start of a run of an unknown type on that task queue.
     *
     * @throws IllegalArgumentException where this engine's worker serves that queue, so that no worker of it is
     *     expected to know the type
     */
    public void start(String type, String taskQueue) {
        refuseServed(type, taskQueue);
        if (said.size() < REMEMBERED && said.add(type)) {
            log.info(
                    "workflow type {} is started by name on task queue {}, and this engine does not register it, only {}:"
                            + " its arguments are not checked here, and its runs wait until a worker that registers the"
                            + " type serves that queue",
                    type,
                    taskQueue,
                    registered());
        }
    }

    /**
     * Checks the start of a run of this type on that task queue, by its class.
     *
     * @throws IllegalArgumentException where the type is not registered, and this engine's worker serves the queue, so
     *     that no worker of it is expected to know the type
     */
    public void startByClass(WorkflowType type, @Nullable String taskQueue) {
        if (registry.workflow(type.name()).isEmpty()) {
            refuseServed(type.name(), taskQueue == null ? type.taskQueue() : taskQueue);
        }
    }

    private void refuseServed(String type, String taskQueue) {
        if (served.contains(taskQueue)) {
            throw new IllegalArgumentException("workflow type " + type + " can't be started on task queue " + taskQueue
                    + ": this engine's worker serves that queue and registers no such type, only " + registered()
                    + ". Usual cause: a misspelt name, or a class that was left out of register(…). For a type that only"
                    + " other workers register, name their queue (StartOptions.taskQueue(…)), or start it through an engine"
                    + " that is clientOnly().");
        }
    }

    private List<String> registered() {
        return registry.workflowTypes().stream()
                .filter(type -> !type.equals(BackgroundJob.TYPE))
                .sorted()
                .toList();
    }
}
