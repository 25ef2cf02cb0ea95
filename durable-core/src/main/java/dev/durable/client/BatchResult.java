package dev.durable.client;

import org.jspecify.annotations.Nullable;

/**
 * The result of one job of a batch.
 *
 * @param number the number of its item, from 0
 * @param jobId the id of the job
 * @param status of its run; {@link WorkflowStatus#RUNNING} while it is open
 * @param discarded whether it ended without a result though it is completed: it was let go when its attempts were used up,
 *     or by an operator
 * @param value what its activity returned; null where it returned nothing, and where it did not complete
 * @param failure why there is no result; null where there is one, and while it is open
 * @param <T> results
 */
public record BatchResult<T>(
        int number,
        String jobId,
        WorkflowStatus status,
        boolean discarded,
        @Nullable T value,
        @Nullable String failure) {

    /** Returns whether the job ended with a result. */
    public boolean completed() {
        return status == WorkflowStatus.COMPLETED && !discarded;
    }

    @Override
    public String toString() {
        return "BatchResult[" + number + ", " + jobId + ", " + status + "]";
    }
}
