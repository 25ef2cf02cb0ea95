package dev.durable.store;

/**
 * The activity that a job calls, and where the job waits for a worker.
 *
 * @param activity the name of the activity
 * @param taskQueue where the job is claimed
 * @param workflowType the type of the run that scheduled it
 */
public record JobRoute(String activity, String taskQueue, String workflowType) {}
