package dev.durable.client;

import dev.durable.TypeRef;
import dev.durable.VoidCall;
import dev.durable.WaitTimedOutException;
import dev.durable.WorkflowNotFoundException;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * Background jobs that were enqueued together, by {@link DurableClient#enqueueAll}. Each is a job of its own, with the
 * batch's id, a slash and its number as id; but which jobs belong to the batch is remembered with them and does not follow
 * from ids. Safe for use by several threads; holds no resources.
 */
public interface BatchHandle {

    /** The id of the batch. */
    String id();

    /**
     * How many jobs were added to it by the call of {@code enqueueAll} that gave this handle: fewer than its items where jobs
     * of the batch were there before, which stay as they are; 0 of a handle by {@link DurableClient#batch}.
     */
    long added();

    /**
     * How far it is, by one query.
     *
     * @throws WorkflowNotFoundException when there is no job of it, unless this handle is that of an {@code enqueueAll} of no
     *     items
     */
    BatchProgress progress();

    /**
     * Waits until each job has ended or waits for an operator, as a dead letter or an incident: what it returns tells how
     * many do.
     *
     * @throws WorkflowNotFoundException as {@link #progress} does
     */
    BatchProgress await();

    /**
     * Waits as {@link #await()} does, but no longer than the timeout.
     *
     * @throws WaitTimedOutException when jobs are under way then; they go on
     * @throws WorkflowNotFoundException as {@link #progress} does
     */
    BatchProgress await(Duration timeout);

    /**
     * Asks each of its jobs that is open to stop, as {@link ActivityHandle#cancel} does; jobs that are enqueued later are
     * not asked.
     *
     * @return how many were asked
     */
    long cancel(String reason);

    /**
     * The results of its jobs in the order of the items, read page by page; close the stream. A job that is still open
     * has no result yet.
     */
    <T> Stream<BatchResult<T>> results(Class<T> type);

    /** The results as {@link #results(Class)} gives them, of a generic type. */
    <T> Stream<BatchResult<T>> results(TypeRef<T> type);

    /**
     * Enqueues one more job that begins when the batch {@linkplain BatchProgress#isAtRest is at rest}; to be called when
     * all of the batch is enqueued. It is no job of the batch. A worker looks every few seconds, half a minute at most,
     * so that it begins a little later. For each activity it happens once for a batch, however often it is called.
     *
     * @return the id of that job: the batch's, a slash and the activity's name. It is there once it is enqueued
     * @throws WorkflowNotFoundException as {@link #progress} does, except in a transaction of the caller, whose commit may
     *     bring the jobs: if none has come within an hour, the job that waits for them fails
     */
    <A> String onCompletion(Class<A> type, VoidCall<A> call);

    /** Its jobs, to be narrowed: {@code batch.jobs().where(w -> w.status(FAILED)).page(50)}. */
    WorkflowQuery jobs();
}
