package dev.durable.samples.patterns;

import dev.durable.client.DurableClient;
import dev.durable.client.WorkflowHandle;
import java.util.List;

/** A pattern that can be run: its workflows, simulated services, and one run of it. */
public interface Demo {
    /** The name on the command line. */
    String name();

    /** The workflow classes. */
    List<Class<?>> workflows();

    /** The implementations of activities. */
    List<Object> activities();

    /** The task queues of both. */
    default List<String> queues() {
        return List.of("default");
    }

    /**
     * Starts the workflow, or finds the one that a former process has left open, and sends what others would send. Returns
     * when nothing more is to be sent; the run may still go on.
     */
    WorkflowHandle<?, ?> run(DurableClient client);
}
