package dev.durable.intercept;

import java.util.UUID;

/**
 * A query that an interceptor sees.
 *
 * @param workflowId whose run is asked
 * @param runId the run
 * @param type its workflow type
 * @param name of the query
 */
public record QueryCall(String workflowId, UUID runId, String type, String name) {}
