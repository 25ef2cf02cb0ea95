package dev.durable.intercept;

import java.util.Map;
import java.util.UUID;

/**
 * The scheduling of an activity by a workflow that an interceptor sees.
 *
 * @param workflowId the run's business identity
 * @param runId the run
 * @param type its workflow type
 * @param activity the activity's name, {@code Payments.charge}
 * @param seq its number in the run
 * @param taskQueue where it will run
 * @param local whether it runs inside the workflow's worker, without a job
 * @param headers of the run and of the activity's options: to be changed before the call proceeds
 */
public record ScheduleCall(
        String workflowId,
        UUID runId,
        String type,
        String activity,
        int seq,
        String taskQueue,
        boolean local,
        Map<String, String> headers) {
    /** Names and ids; of the headers only their names. */
    @Override
    public String toString() {
        return "ScheduleCall[workflowId=" + workflowId + ", runId=" + runId + ", type=" + type + ", activity="
                + activity + ", seq=" + seq + ", taskQueue=" + taskQueue + ", local=" + local + ", headers="
                + headers.keySet() + "]";
    }
}
