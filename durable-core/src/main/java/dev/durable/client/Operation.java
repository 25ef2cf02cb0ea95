package dev.durable.client;

import dev.durable.WaitTimedOutException;
import java.time.Duration;

/**
 * An operation on many runs, started by a verb of {@link WorkflowVerbs} and found again by its id. It is a background job
 * of the engine: {@code client.job(id)} has its history and all that an operator can do with a job. Safe for use by several
 * threads; holds no resources.
 */
public interface Operation {

    /** Its id, under which it can be found as long as its run is kept. */
    String id();

    /** How far it is: of one under way, as of its last page. */
    OperationProgress progress();

    /**
     * Waits until it has ended.
     *
     * @throws dev.durable.WorkflowFailedException when it was stopped
     */
    OperationProgress await();

    /**
     * Waits as {@link #await()} does, but no longer than the timeout.
     *
     * @throws WaitTimedOutException when it has not ended by then; it goes on
     */
    OperationProgress await(Duration timeout);

    /** Stops it behind the page that is under way; what it has done stays. */
    void stop(String reason);
}
