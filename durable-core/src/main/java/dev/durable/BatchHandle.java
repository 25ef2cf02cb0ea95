package dev.durable;

import java.time.Duration;

/**
 * Background jobs that were enqueued together, by {@link DurableClient#enqueueAll}. Each is a job of its own, with the
 * batch's id, a slash and its number as id. Safe for use by several threads; holds no resources.
 */
public interface BatchHandle {

    /** The id of the batch. */
    String id();

    /** How far it is, by one query. */
    BatchProgress progress();

    /** Waits until no job of it is open. */
    BatchProgress await();

    /**
     * The same, but waits no longer than that.
     *
     * @throws WaitTimedOutException when jobs are open then; they go on
     */
    BatchProgress await(Duration timeout);

    /** Its jobs, to be narrowed: {@code batch.jobs().where(w -> w.status(FAILED)).page(50)}. */
    WorkflowQuery jobs();
}
