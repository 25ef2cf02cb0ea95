package dev.durable.client;

import dev.durable.WorkflowNotFoundException;
import java.util.List;

/** Finds the operations that operators have started by {@link WorkflowVerbs}: {@code client.operations()}. Thread-safe. */
public interface Operations {

    /**
     * The newest operations, running and ended, the newest first.
     *
     * @param limit how many at most
     */
    List<Operation> newest(int limit);

    /**
     * One operation by its id.
     *
     * @throws WorkflowNotFoundException when there is none
     */
    Operation one(String id);

    /**
     * Lets an operation go on that was stopped or has failed: it begins with the first run again, and asks no run a second
     * time that it has asked. One that is under way needs no resuming, as another worker takes it over.
     *
     * @throws WorkflowNotFoundException when there is none
     * @throws dev.durable.WorkflowAlreadyStartedException when it is under way, or has ended as it should
     */
    Operation resume(String id);
}
