package dev.durable.intercept;

import java.util.Map;
import java.util.UUID;

/**
 * The start of a child by a workflow that an interceptor sees.
 *
 * @param workflowId the business identity of the run that starts it
 * @param runId that run
 * @param type the workflow type of that run
 * @param number the number of the child among the children of that run's chain, from 1
 * @param childWorkflowId the workflow id of the child
 * @param childRunId the id of the child's first run
 * @param childType the workflow type of the child
 * @param taskQueue where the child will run
 * @param headers of the run and of the child's options: to be changed before the call proceeds
 */
public record ChildStartCall(
        String workflowId,
        UUID runId,
        String type,
        long number,
        String childWorkflowId,
        UUID childRunId,
        String childType,
        String taskQueue,
        Map<String, String> headers) {
    /** Names and ids; of the headers only their names. */
    @Override
    public String toString() {
        return "ChildStartCall[workflowId=" + workflowId + ", runId=" + runId + ", type=" + type + ", number=" + number
                + ", childWorkflowId=" + childWorkflowId + ", childRunId=" + childRunId + ", childType=" + childType
                + ", taskQueue=" + taskQueue + ", headers=" + headers.keySet() + "]";
    }
}
